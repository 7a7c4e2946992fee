<?php
// PHP 8.0 and later, without packages. Pass the raw body: JSON that was parsed and written again has other bytes.

const TOLERANCE_SECONDS = 300;

function verify(string $body, array $headers, string $secret): bool
{
    [$id, $timestamp, $signatures] = array_map(
        fn ($name) => $headers["webhook-$name"] ?? '',
        ['id', 'timestamp', 'signature']
    );
    if (!ctype_digit($timestamp) || abs(time() - (int) $timestamp) > TOLERANCE_SECONDS) {
        return false;
    }
    $key = str_starts_with($secret, 'whsec_') ? base64_decode(substr($secret, 6)) : $secret;
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    foreach (explode(' ', $signatures) as $given) {
        if (hash_equals($expected, $given)) {
            return true;
        }
    }
    return false;
}

// In a receiver: http_response_code(
//   verify(file_get_contents('php://input'), array_change_key_case(getallheaders()), getenv('WEBHOOK_SECRET')) ? 204 : 401);
