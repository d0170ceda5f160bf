package main

import (
	_ "embed"

	"gopkg.in/yaml.v3"
)

// spec is a specification that others wrote: specs.yaml says what its members mean.
type spec struct {
	Name, Title string
	Tables      []string
	Overlay     bool
	Others      map[string]string
	published   `yaml:",inline"`
}

// published is where files are that are not copied.
type published struct {
	NPM, Module string // with the version
	Files       []string
	Components  bool
}

//go:embed specs.yaml
var listed []byte

// specs are imported, generated, built and vetted.
func specs() (all []spec, err error) { return all, yaml.Unmarshal(listed, &all) }
