# Ruby 2.7 and later, without gems. Pass the raw body: JSON that was parsed and written again has other bytes.
require "openssl"

TOLERANCE_SECONDS = 300

def verify(body, headers, secret)
  id, timestamp = headers.values_at("webhook-id", "webhook-timestamp")
  return false if (Time.now.to_i - Integer(timestamp, 10)).abs > TOLERANCE_SECONDS

  key = secret.start_with?("whsec_") ? secret.delete_prefix("whsec_").unpack1("m") : secret.b
  digest = OpenSSL::HMAC.digest("SHA256", key, "#{id}.#{timestamp}.".b + body.b)
  expected = "v1,#{[digest].pack("m0")}"
  headers["webhook-signature"].split.any? { |given| OpenSSL.secure_compare(given, expected) }
end

# Rails: headers = %w[webhook-id webhook-timestamp webhook-signature].to_h { |name| [name, request.headers[name]] }
#        head(verify(request.raw_post, headers, ENV.fetch("WEBHOOK_SECRET")) ? :no_content : :unauthorized)
