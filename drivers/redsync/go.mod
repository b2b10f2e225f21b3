module doublehold/drivers/redsync

go 1.22

require (
	// The newest that Go 1.19 builds; 4.15.0 asks for Go 1.24, 4.18.1 for 1.26.
	github.com/go-redsync/redsync/v4 v4.13.0
	github.com/redis/go-redis/v9 v9.5.1
)

require (
	github.com/gomodule/redigo v1.8.9
	github.com/redis/rueidis v1.0.19
)

require (
	github.com/cespare/xxhash/v2 v2.2.0 // indirect
	github.com/dgryski/go-rendezvous v0.0.0-20200823014737-9f7001d12a5f // indirect
	github.com/hashicorp/errwrap v1.1.0 // indirect
	github.com/hashicorp/go-multierror v1.1.1 // indirect
)
