// Package check turns the tree of a schema file into the checked model, in four steps:
//
//  1. declare: the names of imports, types, errors and methods, so that order does not matter;
//  2. lower: each declaration becomes types and rules of package ir, bases before what extends them;
//  3. contain: no type may contain itself by value, after which types can be walked without care;
//  4. settle: what needs the whole model, such as union decisions, narrowing, defaults.
//
// All faults are reported, not the first. A part with a fault becomes [ir.Any], so that one fault gives one diagnostic.
package check
