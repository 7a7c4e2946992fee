#!/bin/sh
# Any POSIX shell, with openssl 1.1 and later. Verifies a delivery by hand. The raw body is in a file, the headers are as they came:
#   sh verify.sh "$secret" "$webhook_id" "$webhook_timestamp" "$webhook_signature" body.json
secret=$1 id=$2 timestamp=$3 signatures=$4 body=$5

key_hex() {
  case $secret in
    whsec_*) printf '%s' "${secret#whsec_}" | openssl base64 -d -A ;;
    *) printf '%s' "$secret" ;;
  esac | od -An -v -tx1 | tr -d ' \n'
}

case $timestamp in
  '' | *[!0-9]*) echo "There is no timestamp."; exit 1 ;;
esac
age=$(($(date +%s) - timestamp))
[ "${age#-}" -le 300 ] || { echo "The timestamp is more than 5 minutes away."; exit 1; }

expected="v1,$({ printf '%s.%s.' "$id" "$timestamp"; cat "$body"; } | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$(key_hex)" -binary | openssl base64 -A)"
for given in $signatures; do
  [ "$given" = "$expected" ] && { echo "The signature is genuine."; exit 0; }
done
echo "The signature is not genuine."
exit 1
