module doublehold/drivers/rueidislock

go 1.19

// The newest that Go 1.19 builds.
require github.com/redis/rueidis v1.0.14-go1.18
