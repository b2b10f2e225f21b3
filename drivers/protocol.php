<?php
// The driver protocol (docs/driver-protocol.md) for the bundled drivers in PHP. PHP has no threads,
// so each session is a process.
declare(strict_types=1);

ini_set('display_errors', 'stderr');  // standard output belongs to the protocol

// One object for each session. null: refused. An exception: the outcome is unknown.
abstract class Library
{
    abstract public static function about(): array;  // name, version, and can: what the library can
    abstract public static function defaults(): array;  // options
    abstract public function __construct(array $setup, array $options);
    abstract public function acquire(string $key, int $leaseMs, int $waitMs, bool $reads): ?array;
    abstract public function release(string $grant): ?array;

    // Throws an InvalidArgumentException for invalid options.
    public static function check(array $options): void
    {
    }

    public function extend(string $grant, int $leaseMs): ?array
    {
        throw new LogicException('the library cannot extend');
    }

    public function answer(array $request): ?array
    {
        [$key, $grant] = [$request['key'] ?? '', $request['grant'] ?? ''];
        [$leaseMs, $waitMs] = [$request['lease_ms'] ?? 0, $request['wait_ms'] ?? 0];
        return match ($request['op']) {
            'acquire' => $this->acquire($key, $leaseMs, $waitMs, isset($request['mode'])),
            'extend' => $this->extend($grant, $leaseMs),
            'release' => $this->release($grant),
        };
    }
}

function milliseconds(array $options, string $name): int
{
    $text = $options[$name];
    if (!preg_match('/^[0-9]{1,7}$/D', $text) || (int) $text > 3600000) {
        $what = 'is a whole number of milliseconds, up to an hour';
        throw new InvalidArgumentException("$name $what, and not '$text'");
    }
    return (int) $text;
}

function monotonicNs(): int
{
    return hrtime(true);
}

// The upstream version of an installed Debian package.
function versionOf(string $package): string
{
    $version = (string) shell_exec('dpkg-query -W -f \'${Version}\' ' . escapeshellarg($package));
    preg_match('/^(?:\d+:)?([\d.]+)/', $version, $found);
    return $found[1];
}

function answer(int $id, array $result): void
{
    $flags = JSON_UNESCAPED_SLASHES | JSON_INVALID_UTF8_SUBSTITUTE | JSON_THROW_ON_ERROR;
    $line = json_encode(['id' => $id] + $result, $flags);
    fwrite(STDOUT, "$line\n");  // so short that the kernel does not mix the lines of two processes
}

function explain(Throwable $error): string
{
    $before = $error->getPrevious() === null ? '' : '; ' . explain($error->getPrevious());
    return substr(get_class($error) . ': ' . $error->getMessage() . $before, 0, 1000);
}

// Returns the socket to a new process, which answers the requests of one session. It ends with the
// driver, whose end of the socket is then closed.
function startSession(string $library, array $setup, array $options, array $others)
{
    [$ours, $its] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
    if (pcntl_fork() !== 0) {
        fclose($its);
        return $ours;
    }
    array_map('fclose', [$ours, ...$others]);
    $session = new $library($setup, $options);
    stream_set_timeout($its, 86400);  // by default an idle session would end after 60 s
    while (($line = fgets($its)) !== false) {
        $request = json_decode($line, true, 16, JSON_THROW_ON_ERROR);
        try {
            $done = $session->answer($request);
            answer($request['id'], [$done === null ? 'no' : 'ok' => (object) $done]);
        } catch (Throwable $error) {
            answer($request['id'], ['error' => ['text' => explain($error)]]);
        }
    }
    exit(0);
}

function hello(string $library, array $request): array
{
    $defaults = $library::defaults();
    $options = $request['options'] + $defaults;
    if ($unknown = array_keys(array_diff_key($options, $defaults))) {
        [$wrong, $known] = [implode(', ', $unknown), implode(', ', array_keys($defaults))];
        throw new InvalidArgumentException("no such option: $wrong (there is: $known)");
    }
    $library::check($options);
    return $options;
}

function serve(string $library): void
{
    [$options, $sessions] = [[], []];
    while (($line = fgets(STDIN)) !== false) {
        $request = json_decode($line, true, 16, JSON_THROW_ON_ERROR);
        if ($request['op'] === 'hello') {
            try {
                $options = hello($library, $request);
                answer($request['id'], ['ok' => ['protocol' => 1] + $library::about()]);
            } catch (InvalidArgumentException $error) {
                answer($request['id'], ['error' => ['text' => $error->getMessage()]]);
            }
        } elseif ($request['op'] === 'setup') {
            for ($i = 0; $i < $request['sessions']; $i++) {
                $sessions[] = startSession($library, $request, $options, $sessions);
            }
            answer($request['id'], ['ok' => (object) []]);
        } elseif ($request['op'] === 'bye') {
            answer($request['id'], ['ok' => (object) []]);
            return;
        } elseif (!fwrite($sessions[$request['session']], $line)) {
            exit(1);  // the session's process is gone
        }
    }
}
