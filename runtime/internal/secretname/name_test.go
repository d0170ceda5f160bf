package secretname

import (
	"strings"
	"testing"
)

func TestIs(t *testing.T) {
	for _, name := range strings.Fields(`password DB_PASSWORD DB_PASS dbPass userPw MYSQL_PWD secret_key_base secretKeyBase privateKeyPem PRIVATE_KEY_PEM privateKeyPEM
		token token_value tokenValue access_token accessToken accessTokens api_key apiKey APIKey x-api-key api_key_2 password1 passwordHash pw pin otp email_otp id_jwt
		client_secret connectionString code_verifier codeVerifier client_assertion Set-Cookie session.key auth encryption_key_base64 X-Amz-Signature`) {
		if !Is(name) {
			t.Errorf("%s is taken for plain", name)
		}
	}
	for _, name := range strings.Fields(`pass_count boarding tokens maxTokens max_tokens progressToken nextPageToken next_page_token_value page_token OLDPWD key keyboard design signature
		token_type tokenCount password_policy secretName led_pin pin_1 bypass compass base value data pem code code_challenge author x _ -`) {
		if Is(name) {
			t.Errorf("%s is taken for a secret", name)
		}
	}
	if Is("") || IsList("") {
		t.Error("no name is taken for a secret")
	}
	for name, want := range map[string]bool{"tokens": true, "device_tokens": true, "deviceTokens": true, "token": false, "brokens": false} {
		if IsList(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}
