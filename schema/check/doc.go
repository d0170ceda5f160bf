// Package check turns the tree of a schema file into the checked model, in four phases:
//
//  1. declare: the names of imports, types, errors and methods, so that order does not matter;
//  2. lower: each declaration becomes types and rules of package ir, bases before what extends them;
//  3. contain: no type may contain itself by value, after which types can be walked without care;
//  4. settle: what needs the whole model, such as union decisions, narrowing, defaults.
//
// Each phase is a value that knows those it follows and none of those after it: names declares; typeChecker lowers types with the help of
// resolver, ruleChecker, valueChecker and decider, and errorChecker, methodChecker and serverChecker lower what is made of types;
// containment follows, and then the actions that draft keeps for the fourth phase.
//
// All faults are reported, not the first. A part with a fault becomes [ir.Any], so that one fault gives one diagnostic. Package
// schema tests it: with the scenarios of schema/testdata, and with the example of every code of package diag.
//
//test:sequential
//test:by ./schema
package check
