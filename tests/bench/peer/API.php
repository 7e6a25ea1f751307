<?php
// The peer: what an able PHP author would write for the operations that the benchmark measures. Persistent connection,
// prepared statements (the service's own), XMLWriter, and the same checks of the input as far as PHP does not make them.
declare(strict_types=1);

// DATABASE, a connection string, and STATEMENTS, SQL by name.
require __DIR__ . '/settings.php';

const WEATHERS = ['晴空萬里', '狂風暴雨', '陰雨綿綿', '雨過天晴', '烏雲滿天', '大雪數日', '有彩虹'];
const NOT_TEXT = '/[\x00-\x08\x0b\x0c\x0e-\x1f]|\xef\xbf[\xbe\xbf]/';

final class Refusal extends Exception {}
final class NotPrepared extends Exception {}

// Database -----------------------------------------------------------------------------------------------------------

final class Database
{
    private static PgSql\Connection $connection;

    public static function connect(): void
    {
        self::$connection = pg_pconnect(DATABASE) ?: throw new RuntimeException('no database');
    }

    /** A connection that PHP kept has its statements; a new one must be given them. */
    public static function prepare(): void
    {
        @pg_query(self::$connection, 'ROLLBACK');
        foreach (STATEMENTS as $name => $sql) {
            pg_prepare(self::$connection, $name, $sql);
        }
    }

    public static function rows(string $statement, mixed ...$values): array
    {
        $result = @pg_execute(self::$connection, $statement, $values);
        if ($result !== false) {
            return pg_fetch_all($result, PGSQL_NUM);
        }
        $error = pg_last_error(self::$connection);
        if (str_contains($error, 'does not exist')) {
            throw new NotPrepared();
        }
        throw str_contains($error, 'the session is unknown') ? new Refusal('LOGIN REQUIRED') : new RuntimeException($error);
    }

    public static function result(string $statement, mixed ...$values): PgSql\Result
    {
        return @pg_execute(self::$connection, $statement, $values) ?: throw new NotPrepared();
    }

    public static function transaction(callable $work): mixed
    {
        pg_query(self::$connection, 'BEGIN ISOLATION LEVEL READ COMMITTED');
        try {
            $answer = $work();
            pg_query(self::$connection, 'COMMIT');
            return $answer;
        } catch (Refusal $refusal) {
            pg_query(self::$connection, 'ROLLBACK');
            throw $refusal;
        }
    }
}

// Input --------------------------------------------------------------------------------------------------------------

function parameter(string $name, ?string $fallback = null): string
{
    $value = $_POST[$name] ?? $_GET[$name] ?? $fallback ?? throw new Refusal("MISSING PARAMETER: $name");
    if (!is_string($value) || !preg_match('//u', $value) || preg_match(NOT_TEXT, $value)) {
        throw new Refusal("INVALID PARAMETER: $name");
    }
    return $value;
}

function valid(string $name, string $value, bool $isValid): string
{
    return $isValid ? $value : throw new Refusal("INVALID PARAMETER: $name");
}

function integer(string $name, int $least, int $most, ?string $fallback = null): string
{
    $value = parameter($name, $fallback);
    return valid($name, $value, ctype_digit($value) && strlen($value) < 20 && $value >= $least && $value <= $most);
}

function identifier(string $name): string
{
    return integer($name, 1, PHP_INT_MAX);
}

function line(string $name, int $most = 255): string
{
    $value = parameter($name);
    $length = iconv_strlen($value, 'UTF-8');
    return valid($name, $value, $length >= 1 && $length <= $most && strpbrk($value, "\r\n") === false);
}

function coordinate(string $name, int $most): string
{
    $value = parameter($name);
    return valid($name, $value, preg_match('/^-?\d+(\.\d+)?$/D', $value) && abs((float) $value) <= $most);
}

function choice(string $name, array $choices): string
{
    $value = parameter($name);
    return valid($name, $value, in_array($value, $choices, true));
}

function day(): string
{
    [$year, $month, $day] = [integer('year', 1, 9999), integer('month', 1, 12), integer('day', 1, 31)];
    valid('day', $day, checkdate((int) $month, (int) $day, (int) $year));
    return sprintf('%04d-%02d-%02d', $year, $month, $day);
}

/** The session's user and the hash of its token. */
function claim(): array
{
    [$id, $token] = [$_COOKIE['id'] ?? '', $_COOKIE['idrand'] ?? ''];
    if (!ctype_digit($id) || !preg_match('/^[0-9a-f]{32}$/Di', $token)) {
        throw new Refusal('LOGIN REQUIRED');
    }
    return [$id, '\x' . bin2hex(sodium_crypto_generichash(hex2bin($token)))];
}

// Output -------------------------------------------------------------------------------------------------------------

final class Document extends XMLWriter
{
    public function __construct()
    {
        $this->openMemory();
        $this->startDocument('1.0', 'UTF-8');
        $this->startElement('response');
    }

    public function element(string $name, ?string $value): void
    {
        $this->writeElement($name, $value === '' ? null : $value);
    }

    public function location(string $lat, string $lng): void
    {
        $this->startElement('Location');
        $this->writeElement('lat', $lat);
        $this->writeElement('lng', $lng);
        $this->endElement();
    }

    public function day(string $name, string $date): void
    {
        $this->startElement($name);
        $this->writeElement('year', (string) (int) substr($date, 0, -6));
        $this->writeElement('month', substr($date, -5, 2));
        $this->writeElement('day', substr($date, -2));
        $this->endElement();
    }

    public function piece(array $columns): void
    {
        [$category, $lat, $lng, $owner, $icon, $updated, $score] = $columns;
        $this->writeElement('category', $category);
        $this->location($lat, $lng);
        $this->element('ownerName', $owner);
        $this->element('ownerIcon', $icon);
        $this->day('updateDate', $updated);
        $this->writeElement('score', $score);
    }

    public function photos(array $rows, ?string $idName, string $addressName): void
    {
        if ($rows === []) {
            return;
        }
        $this->startElement('photos');
        foreach ($rows as $i => [$id, $address, $description]) {
            $this->startElement('photo' . $i + 1);
            if ($idName !== null) {
                $this->writeElement($idName, $id);
            }
            $this->writeElement($addressName, $address);
            $this->element('description', $description);
            $this->endElement();
        }
        $this->endElement();
    }

    public function comments(array $rows): void
    {
        if ($rows === []) {
            return;
        }
        $this->startElement('comments');
        foreach ($rows as $i => [$time, $name, $icon, $comment, $replied, $reply]) {
            $this->startElement('comment' . $i + 1);
            $this->writeElement('time', (string) strtotime($time));
            $this->writeElement('commenterName', $name);
            $this->element('commenterIcon', $icon);
            $this->writeElement('comment', $comment);
            if ($reply !== null) {
                $this->startElement('authorReply');
                $this->writeElement('time', (string) strtotime($replied));
                $this->writeElement('reply', $reply);
                $this->endElement();
            }
            $this->endElement();
        }
        $this->endElement();
    }

    public function vote(array $rows): void
    {
        if ($rows === []) {
            return;
        }
        $this->startElement('vote');
        $this->writeElement('description', $rows[0][0]);
        $this->startElement('choices');
        foreach ($rows as $i => [, $description, $votes]) {
            if ($description !== null) {
                $this->startElement('choice' . $i + 1);
                $this->writeElement('description', $description);
                $this->writeElement('votes', $votes);
                $this->endElement();
            }
        }
        $this->endElement();
        $this->endElement();
    }

    /** Row by row, in pieces, so that a long list does not stand in memory twice. */
    public function list(string $name, string $item, string $id, string $label, PgSql\Result $result): void
    {
        $this->startElement($name);
        for ($i = 1; $row = pg_fetch_row($result); $i++) {
            $this->startElement($item . $i);
            $this->writeElement($id, $row[0]);
            $this->writeElement($label, $row[1]);
            $this->endElement();
            if ($i % 1000 === 0) {
                echo $this->flush();
            }
        }
        $this->endElement();
    }
}

function begin(): Document
{
    $document = new Document();
    $document->writeElement('status', 'SUCCESS');
    return $document;
}

/** A read that may be cached for a moment. */
function send(Document $document, bool $isRead = true): void
{
    $document->endElement();
    $body = $document->outputMemory() . "\n";
    header('Content-Type: text/xml; charset=UTF-8');
    header('X-Content-Type-Options: nosniff');
    if (!$isRead || isset($_SERVER['HTTP_COOKIE'])) {
        header('Cache-Control: no-store');
    } else {
        $tag = '"' . hash('xxh128', $body) . '"';
        header("ETag: $tag");
        header('Vary: Cookie');
        header('Cache-Control: public, max-age=1');
        if (($_SERVER['HTTP_IF_NONE_MATCH'] ?? '') === $tag) {
            http_response_code(304);
            return;
        }
    }
    header('Content-Length: ' . strlen($body));
    echo $body;
}

// Operations ---------------------------------------------------------------------------------------------------------

function get_poi(): void
{
    $id = identifier('POIID');
    $poi = Database::rows('poi_read', $id, null, null)[0] ?? throw new Refusal('POI NOT FOUND');
    $photos = Database::rows('photo_of_poi', $id, null, null);
    $comments = Database::rows('comment_on_poi', $id, null, null);
    $document = begin();
    $document->element('name', array_shift($poi));
    $document->piece($poi);
    $document->photos($photos, null, 'photoPath');
    $document->comments($comments);
    send($document);
}

function get_album(): void
{
    $id = identifier('albumID');
    $album = Database::rows('album_read', $id, null, null)[0] ?? throw new Refusal('ALBUM NOT FOUND');
    $photos = Database::rows('photo_of_album', $id, null, null);
    $comments = Database::rows('comment_on_album', $id, null, null);
    $document = begin();
    $document->element('albumTitle', $album[0]);
    $document->element('cover', $album[1]);
    $document->piece(array_slice($album, 2));
    $document->photos($photos, 'photoID', 'thumbnail');
    $document->comments($comments);
    send($document);
}

function get_blog(): void
{
    $id = identifier('blogID');
    $blog = Database::rows('blog_read', $id, null, null)[0] ?? throw new Refusal('BLOG NOT FOUND');
    [$name, $icon, $score, $type, $lat, $lng, $title, $content, $date, $weather, $reply, $zoom, $map, $category] = $blog;
    $vote = Database::rows('vote_read', $id, null, null);
    $comments = Database::rows('comment_on_blog', $id, null, null);
    $document = begin();
    $document->element('authorName', $name);
    $document->element('authorIcon', $icon);
    $document->writeElement('type', $type);
    $document->location($lat, $lng);
    $document->writeElement('blogTitle', $title);
    $document->writeElement('blogContent', $content);
    $document->day('postDate', $date);
    $document->writeElement('weather', $weather);
    if ($reply !== null) {
        $document->writeElement('replyBlogID', $reply);
    }
    $document->writeElement('zoomLevel', $zoom);
    $document->writeElement('mapType', $map);
    if ($category !== null) {
        $document->writeElement('userCategory', $category);
    }
    $document->writeElement('score', $score);
    $document->vote($vote);
    $document->comments($comments);
    send($document);
}

function get_user_album_list(): void
{
    $user = identifier('userID');
    if (Database::rows('user_exists', $user) === []) {
        throw new Refusal('USER NOT FOUND');
    }
    $document = begin();
    $document->list('albumList', 'album', 'albumID', 'albumTitle', Database::result('album_list', $user, null, null));
    send($document);
}

function get_category_poi_list(): void
{
    $category = integer('category', 1, 5);
    $result = Database::result('poi_list', $category, null, null);
    header('Content-Type: text/xml; charset=UTF-8');
    header('Cache-Control: no-store');
    $document = begin();
    $document->list('POIList', 'POI', 'POIID', 'name', $result);
    $document->endElement();
    echo $document->outputMemory(), "\n";
}

function add_album(): void
{
    $claim = claim();
    $fields = [line('albumTitle'), integer('category', 1, 16), coordinate('lat', 90), coordinate('lng', 180)];
    $id = Database::transaction(function () use ($claim, $fields) {
        Database::rows('session_require', ...$claim);
        return Database::rows('album_insert', $claim[0], ...[...$fields, null])[0][0];
    });
    $document = begin();
    $document->writeElement('albumID', $id);
    send($document, false);
}

function post_blog(): void
{
    $claim = claim();
    $content = parameter('blogContent');
    valid('blogContent', $content, $content !== '' && iconv_strlen($content, 'UTF-8') <= 100000);
    $fields = [
        choice('type', ['0_0', '0_1', '0_2', '0_3', '0_4', '0_5', '0_6', '0_7', '0_8']),
        coordinate('lat', 90), coordinate('lng', 180), line('blogTitle'), $content, day(), choice('weather', WEATHERS),
        isset($_POST['replyBlogID']) ? identifier('replyBlogID') : null,
        integer('zoomLevel', 0, 21, '14'), integer('mapType', 1, 3, '1'),
        isset($_POST['userCategory']) ? line('userCategory') : null,
    ];
    [$id, $reward] = Database::transaction(function () use ($claim, $fields) {
        Database::rows('session_require', ...$claim);
        Database::rows('user_lock', $claim[0]);
        $rows = Database::rows('blog_insert', $claim[0], ...[...$fields, null, 10, 5]);
        return $rows[0] ?? throw new Refusal('BLOG NOT FOUND');
    });
    $document = begin();
    $document->writeElement('blogID', $id);
    $document->writeElement('reward', $reward);
    send($document, false);
}

// Failures of an account and of an address until the next waits, logins of an account an hour, and milliseconds to wait at most.
const THROTTLE = [10, 100, 1000000, 900000];

function login(): void
{
    [$email, $password, $address] = [line('email'), line('password', 1024), $_SERVER['REMOTE_ADDR']];
    $account = Database::transaction(function () use ($email, $address) {
        $wait = Database::rows('throttle_attempt', $email, $address, ...THROTTLE)[0][0];
        if ($wait > 0) {
            throw new Refusal('TOO MANY ATTEMPTS');
        }
        return Database::rows('user_credentials', $email)[0] ?? throw new Refusal('PASSWORD INCORRECT');
    });
    if (!sodium_crypto_pwhash_str_verify($account[1], $password)) {
        throw new Refusal('PASSWORD INCORRECT');
    }
    $token = random_bytes(16);
    Database::transaction(function () use ($email, $address, $account, $token) {
        Database::rows('throttle_welcome', $account[0], $email, $address, THROTTLE[2]);
        Database::rows('session_purge_user', $account[0]);
        $hash = '\x' . bin2hex(sodium_crypto_generichash($token));
        return Database::rows('session_insert', $account[0], $hash, 30 * 86400000, $account[1]);
    });
    foreach (['id' => $account[0], 'idrand' => bin2hex($token)] as $name => $value) {
        setcookie($name, $value, ['expires' => time() + 30 * 86400, 'path' => '/', 'httponly' => true, 'samesite' => 'Lax']);
    }
    $document = begin();
    $document->writeElement('id', $account[0]);
    $document->writeElement('idrand', bin2hex($token));
    send($document, false);
}

const OPERATIONS = [
    'getPOI' => ['get_poi', false], 'getAlbum' => ['get_album', false], 'getBlog' => ['get_blog', false],
    'getUserAlbumList' => ['get_user_album_list', false], 'getCategoryPOIList' => ['get_category_poi_list', false],
    'addAlbum' => ['add_album', true], 'postBlog' => ['post_blog', true], 'login' => ['login', true],
];

function refuse(string $info, int $status = 200): void
{
    http_response_code($status);
    header('Content-Type: text/xml; charset=UTF-8');
    header('Cache-Control: no-store');
    $document = new Document();
    $document->writeElement('status', 'FAILED');
    $document->writeElement('info', $info);
    $document->endElement();
    echo $document->outputMemory(), "\n";
}

try {
    [$operation, $writes] = OPERATIONS[parameter('func')] ?? throw new Refusal('UNKNOWN FUNC');
    if (parameter('responseFormat', 'XML') !== 'XML') {
        throw new Refusal('INVALID PARAMETER: responseFormat');
    }
    if ($writes && $_SERVER['REQUEST_METHOD'] !== 'POST') {
        header('Allow: POST');
        refuse('METHOD NOT ALLOWED', 405);
        exit;
    }
    Database::connect();
    try {
        $operation();
    } catch (NotPrepared) {
        Database::prepare();
        $operation();
    }
} catch (Refusal $refusal) {
    refuse($refusal->getMessage());
} catch (Throwable $fault) {
    error_log((string) $fault);
    refuse('INTERNAL ERROR', 500);
}
