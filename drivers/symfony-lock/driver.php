<?php
// Symfony's Lock on Redis, as Debian has it: --driver symfony-lock. The library waits without a
// limit, so the driver tries again by itself.
declare(strict_types=1);

require __DIR__ . '/../protocol.php';
require 'Symfony/Component/Lock/autoload.php';

use Symfony\Component\Lock\Exception\LockConflictedException;
use Symfony\Component\Lock\LockFactory;
use Symfony\Component\Lock\LockInterface;
use Symfony\Component\Lock\Store\RedisStore;

final class SymfonyLock extends Library
{
    private Redis $redis;
    private LockFactory $factory;
    private array $locks = [];  // by grant

    public static function about(): array
    {
        $can = ['lease', 'extend', 'read-write', 'silent-release'];
        $version = versionOf('php-symfony-lock');
        return ['name' => 'symfony-lock', 'version' => $version, 'can' => $can];
    }

    public static function defaults(): array
    {
        return ['interval_ms' => '100', 'initial_ttl_ms' => '300000', 'read_timeout_ms' => '0'];
    }

    public static function check(array $options): void
    {
        array_map(fn ($name) => milliseconds($options, $name), array_keys(self::defaults()));
        if (milliseconds($options, 'initial_ttl_ms') === 0) {
            throw new InvalidArgumentException('initial_ttl_ms is 1 or more');
        }
    }

    public function __construct(private array $setup, private array $options)
    {
        $this->redis = new Redis();
        $initialTtl = milliseconds($options, 'initial_ttl_ms') / 1000;
        $this->factory = new LockFactory(new RedisStore($this->redis, $initialTtl));
    }

    private function connect(): void
    {
        if (!$this->redis->isConnected()) {
            ['host' => $host, 'port' => $port] = $this->setup['nodes'][0];
            $timeout = milliseconds($this->options, 'read_timeout_ms') / 1000;
            $this->redis->connect($host, $port, 0, null, 0, $timeout);
        }
    }

    public function acquire(string $key, int $leaseMs, int $waitMs, bool $reads): ?array
    {
        $this->connect();
        $lock = $this->factory->createLock($key, $leaseMs / 1000);
        $interval = 1000000 * milliseconds($this->options, 'interval_ms');
        $giveUp = monotonicNs() + 1000000 * $waitMs;
        while (!($reads ? $lock->acquireRead() : $lock->acquire())) {
            if (monotonicNs() + $interval > $giveUp) {
                return null;
            }
            usleep(intdiv($interval, 1000));
        }
        $grant = bin2hex(random_bytes(8));
        $this->locks[$grant] = $lock;
        return ['grant' => $grant] + self::lease($lock);
    }

    public function extend(string $grant, int $leaseMs): ?array
    {
        if (!isset($this->locks[$grant])) {
            return null;
        }
        $this->connect();
        try {
            $this->locks[$grant]->refresh($leaseMs / 1000);
            return self::lease($this->locks[$grant]);
        } catch (LockConflictedException) {
            return null;
        }
    }

    // The library does not report whether the lock was still its own.
    public function release(string $grant): ?array
    {
        $lock = $this->locks[$grant] ?? null;
        unset($this->locks[$grant]);
        if ($lock === null) {
            return null;
        }
        $this->connect();
        $lock->release();
        return [];
    }

    // The end of the lease as the library reports it, less the millisecond to which the server
    // rounds its time down.
    private static function lease(LockInterface $lock): array
    {
        $from = monotonicNs();
        $left = (int) floor(1000 * $lock->getRemainingLifetime()) - 1;
        return ['validity_ms' => max(0, $left), 'from_ns' => $from];
    }
}

serve(SymfonyLock::class);
