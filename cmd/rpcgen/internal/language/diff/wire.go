package diff

import "github.com/rpcgen-go/rpcgen/schema/ir"

// judge judges a relation for every direction that the part travels in.
func (c *recorder) judge(u uses, r relation) []Direction {
	if u.moved {
		return []Direction{{ir.FromBoth, noEffect, noEffect}}
	}
	var all []Direction
	for _, sender := range []ir.Side{ir.FromClient, ir.FromServer} {
		travels, asked := u.unreached, false
		for _, one := range u.all {
			if one.sender == sender {
				travels = true
				asked = asked || one.part != inParams
			}
		}
		if travels {
			way := r
			if sender == ir.FromClient && c.traffic.strict(u) {
				way = r.whereRefused()
			}
			all = append(all, Direction{sender, judgeReceipt(way, sender), judgeSending(way, sender, asked || u.unreached)})
		}
	}
	return all
}

var noEffect = Judgement{OK, "no message that both versions know carries it here"}

// judgeReceipt judges what an old sender sends to a new receiver: what it may send it must be able to send on.
func judgeReceipt(r relation, sender ir.Side) Judgement {
	from, to := sender.String()+"s", oppositeSide(sender).String()+"s"
	switch {
	case r.lost != "":
		return Judgement{Break, "new " + to + " refuse " + r.lost + " from old " + from}
	case r.meaning != "":
		return Judgement{Warning, "old and new peers understand each other otherwise: " + r.meaning}
	case r.ignored != "":
		return Judgement{Warning, "new " + to + " ignore " + r.ignored + " from old " + from}
	}
	return Judgement{OK, "new " + to + " accept what old " + from + " send"}
}

// judgeSending judges what a new sender sends to an old receiver. Who sends params chooses to use what is new, and is answered; who gets a
// result, an error or a notification has chosen nothing.
func judgeSending(r relation, sender ir.Side, unasked bool) Judgement {
	from, to := sender.String()+"s", oppositeSide(sender).String()+"s"
	switch {
	case r.gained != "" && (r.always || unasked):
		return Judgement{Break, "old " + to + " refuse " + r.gained + " from new " + from}
	case r.gained != "":
		return Judgement{Warning, "old " + to + " refuse " + r.gained + " from new " + from + ", which must know whom they call before they use it"}
	case r.meaning != "":
		return Judgement{Warning, "old and new peers understand each other otherwise: " + r.meaning}
	case r.unseen != "":
		return Judgement{OK, "old " + to + " ignore " + r.unseen + " from new " + from}
	}
	return Judgement{OK, "old " + to + " accept what new " + from + " send"}
}
