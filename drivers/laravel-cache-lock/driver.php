<?php
// Laravel's Cache::lock on Redis, as Debian has it: --driver laravel-cache-lock. Leases are whole
// seconds.
declare(strict_types=1);

require __DIR__ . '/../protocol.php';
require 'Illuminate/Redis/autoload.php';
require 'Illuminate/Cache/autoload.php';

use Illuminate\Cache\RedisStore;
use Illuminate\Cache\Repository;
use Illuminate\Contracts\Cache\LockTimeoutException;
use Illuminate\Redis\RedisManager;

final class LaravelLock extends Library
{
    private Repository $cache;
    private array $locks = [];  // by grant
    private int $sleepMs;
    private bool $blocks;

    public static function about(): array
    {
        $version = versionOf('php-illuminate-cache');
        return ['name' => 'laravel-cache-lock', 'version' => $version, 'can' => ['lease']];
    }

    public static function defaults(): array
    {
        return ['block' => 'no', 'sleep_ms' => '250', 'read_timeout_ms' => '0'];
    }

    public static function check(array $options): void
    {
        milliseconds($options, 'sleep_ms');
        milliseconds($options, 'read_timeout_ms');
        if (!in_array($options['block'], ['yes', 'no'], true)) {
            throw new InvalidArgumentException("block is yes or no, and not '{$options['block']}'");
        }
    }

    public function __construct(array $setup, array $options)
    {
        $this->sleepMs = milliseconds($options, 'sleep_ms');
        $this->blocks = $options['block'] === 'yes';
        $timeout = milliseconds($options, 'read_timeout_ms') / 1000;
        $config = ['default' => $setup['nodes'][0] + ['read_timeout' => $timeout]];
        $this->cache = new Repository(new RedisStore(new RedisManager(null, 'phpredis', $config)));
    }

    public function acquire(string $key, int $leaseMs, int $waitMs, bool $reads): ?array
    {
        $seconds = intdiv($leaseMs + 999, 1000);
        $lock = $this->cache->lock($key, $seconds)->betweenBlockedAttemptsSleepFor($this->sleepMs);
        if ($this->blocks && $waitMs > 0) {
            try {
                $lock->block(intdiv($waitMs, 1000));
            } catch (LockTimeoutException) {
                return null;
            }
            return $this->granted($lock, $seconds);
        }
        $giveUp = monotonicNs() + 1000000 * $waitMs;
        while (true) {
            $asked = monotonicNs();
            if ($lock->get()) {
                return $this->granted($lock, $seconds) + ['from_ns' => $asked];
            }
            if (monotonicNs() + 1000000 * $this->sleepMs > $giveUp) {
                return null;
            }
            usleep(1000 * $this->sleepMs);
        }
    }

    private function granted($lock, int $seconds): array
    {
        $this->locks[$lock->owner()] = $lock;
        return ['grant' => $lock->owner(), 'validity_ms' => 1000 * $seconds];
    }

    public function release(string $grant): ?array
    {
        $lock = $this->locks[$grant] ?? null;
        unset($this->locks[$grant]);
        return $lock !== null && $lock->release() ? [] : null;
    }
}

serve(LaravelLock::class);
