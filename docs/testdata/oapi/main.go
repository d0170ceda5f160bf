// Command pets is the program of the page from-openapi-generators.md before it has tools.
package main

import (
	"context"
	"log"
	"net/http"
	"sync"

	"example.com/pets/api"
)

type shop struct {
	mu   sync.Mutex
	pets []api.Pet
}

func (s *shop) ListPets(_ context.Context, r api.ListPetsRequestObject) (api.ListPetsResponseObject, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := api.ListPets200JSONResponse{}
	for _, p := range s.pets {
		if r.Params.Tag == nil || p.Tag != nil && *p.Tag == *r.Params.Tag {
			found = append(found, p)
		}
	}
	return found, nil
}

func (s *shop) AddPet(_ context.Context, r api.AddPetRequestObject) (api.AddPetResponseObject, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := api.Pet{Id: int64(len(s.pets) + 1), Name: r.Body.Name, Tag: r.Body.Tag}
	s.pets = append(s.pets, p)
	return api.AddPet201JSONResponse(p), nil
}

func (s *shop) ShowPet(_ context.Context, r api.ShowPetRequestObject) (api.ShowPetResponseObject, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Id < 1 || r.Id > int64(len(s.pets)) {
		return api.ShowPet404JSONResponse{Message: "there is no such pet"}, nil
	}
	return api.ShowPet200JSONResponse(s.pets[r.Id-1]), nil
}

func main() {
	mux := http.NewServeMux()
	api.HandlerFromMux(api.NewStrictHandler(&shop{}, nil), mux)
	log.Fatal(http.ListenAndServe("localhost:8080", mux))
}
