//go:build go1.20

// The client rueidis, which Go 1.19 does not build.
package main

import (
	syncredis "github.com/go-redsync/redsync/v4/redis"
	syncrueidis "github.com/go-redsync/redsync/v4/redis/rueidis"
	"github.com/redis/rueidis"
	"github.com/redis/rueidis/rueidiscompat"
)

func init() {
	clients["rueidis"] = func(address string) (syncredis.Pool, error) {
		client, err := rueidis.NewClient(rueidis.ClientOption{InitAddress: []string{address}})
		if err != nil {
			return nil, err
		}
		return syncrueidis.NewPool(rueidiscompat.NewAdapter(client)), nil
	}
}
