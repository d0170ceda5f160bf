#!/usr/bin/env bash
# What the action of action.yml runs, with its inputs in variables: RPCGEN_SCHEMAS and so on. It checks, lints and compares schemas, prints what
# is found as annotations, and writes one summary to the file GITHUB_STEP_SUMMARY. The exit code is the worst of those of rpcgen: 0 fine, 1 findings,
# 2 wrong usage, 3 an error.
set -uo pipefail

fail() { # MESSAGE: an error of the run itself
	echo "::error title=rpcgen::$1"
	exit 3
}

cell() { # NAME: prints it as it stands in a cell of a table, on one line
	local name=${1//[[:cntrl:]\`]/?}
	printf '%s' "${name//|/\\|}"
}

command -v go >/dev/null || fail "there is no go command: use actions/setup-go before this action"
git rev-parse --git-dir >/dev/null 2>&1 || fail "this is not a git repository: use actions/checkout before this action"

if [ -n "${RPCGEN_VERSION:-}" ]; then
	rpcgen=(go run "github.com/rpcgen-go/rpcgen/cmd/rpcgen@$RPCGEN_VERSION")
else
	rpcgen=(go tool rpcgen)
fi
"${rpcgen[@]}" version || fail "$(printf '%s ' "${rpcgen[@]}")does not start: run go get -tool github.com/rpcgen-go/rpcgen/cmd/rpcgen in the module, or set version"

read -r -d '' -a patterns <<<"${RPCGEN_SCHEMAS:-*.rpc.yaml}"
read -r -d '' -a flags <<<"${RPCGEN_FLAGS:-}"
mapfile -t -d '' schemas < <(git ls-files -z --cached --others --exclude-standard -- "${patterns[@]}" | sort -zu)
for schema in "${schemas[@]}"; do
	[ -e "$schema" ] || fail "$(cell "$schema") is in git, and not in the working directory"
done
[ ${#schemas[@]} -gt 0 ] || fail "no file matches ${patterns[*]}"

# The commit to compare with, which a clone of one commit has to fetch. Where both have a common ancestor, it is that: what others changed since is not of this change.
base=${RPCGEN_BASE:-${GITHUB_BASE_REF:-}} from=
if [ -n "$base" ]; then
	from=$(git rev-parse --verify --quiet "origin/$base^{commit}" || git rev-parse --verify --quiet "$base^{commit}") ||
		from=$(git fetch --quiet --depth=1 origin "$base" && git rev-parse FETCH_HEAD) ||
		fail "$base is not in this clone and cannot be fetched: use actions/checkout with fetch-depth: 0"
	from=$(git merge-base "$from" HEAD 2>/dev/null || echo "$from")
fi
prefix=$(git rev-parse --show-prefix)
within=$(sed 's/[\\&#]/\\&/g' <<<"$prefix") # annotations name files from the root of the repository

worst=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# step NAME FORMAT ARG...: runs a command, prints its annotations, and adds a cell to the row, and what it says in FORMAT to the details.
step() {
	local name=$1 format=$2 code
	shift 2
	"${rpcgen[@]}" "$@" --format github >"$work/annotations" 2>&1
	code=$?
	sed -E "s#^(::[a-z]+ file=)#\1$within#" "$work/annotations"
	[ $code -le "$worst" ] || worst=$code
	case $code in
	0) row+=" passed |" ;;
	1) row+=" **found** |" ;;
	*) row+=" **failed** |" ;;
	esac
	[ "$code$format" != 0text ] || return 0
	"${rpcgen[@]}" "$@" --format "$format" >"$work/said" 2>&1
	if [ -s "$work/said" ]; then
		{
			printf '\n### %s %s\n\n' "$name" "$(cell "$schema")"
			[ "$format" = markdown ] || echo '````text'
			cat "$work/said"
			[ "$format" = markdown ] || echo '````'
		} >>"$work/details"
	fi
}

# cost adds to the details what the tools of a schema cost a model, compared with the base. A budget that is exceeded is found by check.
cost() {
	grep -q '^tools:' "$file" || return 0
	local against=()
	if [ -n "$from" ] && git cat-file -e "$from:$prefix$schema" 2>/dev/null; then
		against=(--against "git:$from")
	fi
	"${rpcgen[@]}" budget ${against[@]+"${against[@]}"} "$file" >"$work/said" 2>/dev/null || true
	if [ -s "$work/said" ]; then
		{
			printf '\n### budget %s\n\n````text\n' "$(cell "$schema")"
			cat "$work/said"
			echo '````'
		} >>"$work/details"
	fi
}

host=()
[ -z "${RPCGEN_HOST:-}" ] || host=(--host "$RPCGEN_HOST")
strict=()
[ "${RPCGEN_STRICT:-}" != true ] || strict=(--strict)
allow=()
[ -z "${RPCGEN_ALLOW:-}" ] || allow=(--allow "$RPCGEN_ALLOW")
: >"$work/details"
{
	printf '<!-- rpcgen -->\n## rpcgen\n\n| schema | check | lint |%s\n|---|---|---|%s\n' "${from:+ diff |}" "${from:+---|}"
} >"$work/summary"
for schema in "${schemas[@]}"; do
	file=./$schema # a name may begin with a hyphen, or look like a URL
	row="| \`$(cell "$schema")\` |"
	step check text check ${flags[@]+"${flags[@]}"} "$file"
	step lint text lint ${strict[@]+"${strict[@]}"} ${host[@]+"${host[@]}"} "$file"
	if [ -n "$from" ] && git cat-file -e "$from:$prefix$schema" 2>/dev/null; then
		step diff markdown diff ${allow[@]+"${allow[@]}"} "git:$from:$schema" "$file"
	elif [ -n "$from" ]; then
		row+=" new |"
	fi
	cost
	echo "$row" >>"$work/summary"
done
if [ -n "$from" ]; then
	git diff -z --name-only --relative --no-renames --diff-filter=D "$from" -- "${patterns[@]}" |
		while IFS= read -r -d '' schema; do echo "| \`$(cell "$schema")\` | - | - | removed |"; done >>"$work/summary"
fi
cat "$work/details" >>"$work/summary"
cat "$work/summary" >>"${GITHUB_STEP_SUMMARY:-/dev/stderr}"

# comment writes the summary to the pull request: in place of the comment of an earlier run, or as a new one.
comment() {
	local number=${GITHUB_REF#refs/pull/} at
	number=${number%%/*}
	[[ $number =~ ^[0-9]+$ ]] || return 0 # not a pull request
	at="repos/$GITHUB_REPOSITORY/issues"
	head -c 60000 "$work/summary" >"$work/body"
	local id
	id=$(gh api --paginate "$at/$number/comments" --jq '.[] | select(.body | startswith("<!-- rpcgen -->")) | .id' 2>"$work/errors" | head -n 1) &&
		if [ -n "$id" ]; then
			gh api --method PATCH "$at/comments/$id" --field "body=@$work/body" >/dev/null 2>"$work/errors"
		else
			gh api --method POST "$at/$number/comments" --field "body=@$work/body" >/dev/null 2>"$work/errors"
		fi || echo "::warning title=rpcgen::the summary is not a comment on the pull request: give the job the right pull-requests: write ($(tr '\n' ' ' <"$work/errors"))"
}
[ "${RPCGEN_COMMENT:-}" != true ] || comment
exit $worst
