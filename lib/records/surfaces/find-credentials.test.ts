import { describe, expect, test } from "vitest";
import { findCredentials } from "./find-credentials.ts";

describe("a value that looks like a credential", () => {
  test.each([
    "password",
    "Password",
    "db_password",
    "dbPassword",
    "DB_PASSWORD",
    "password2",
    "password_2",
    "passwords",
    "passwd",
    "pwd",
    "passphrase",
    "secret",
    "secrets",
    "client_secret",
    "clientSecret",
    "clientsecret",
    "webhook-secret",
    "secret_value",
    "token",
    "access_token",
    "accessToken",
    "refreshtoken",
    "access_tokens",
    "tokens",
    "api.token",
    "api_key",
    "apiKey",
    "apikey",
    "API-KEY",
    "x-api-key",
    "api_key_1",
    "api_keys",
    "private_key",
    "signing key",
    "serviceRoleKey",
    "accountKey",
    "credential",
    "credentials",
    "Authorization",
    "bearer",
    "cookie",
    "dsn",
    "connection_string",
    "connectionString",
    "pin",
    "jwt",
  ])("the key %s", (key) => {
    expect(findCredentials({ [key]: "hunter2" })).toEqual([[key]]);
    expect(findCredentials({ accounts: [{ [key]: ["hunter2"] }] })).toEqual([
      ["accounts", "0", key],
    ]);
  });

  test.each([
    "postgres://ada:hunter2@db.example/ledger",
    "see https://:hunter2@example.com",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIE",
    "-----BEGIN PRIVATE KEY-----",
  ])("the value %s, under any key", (value) => {
    expect(findCredentials({ note: value })).toEqual([["note"]]);
  });

  test("is reported by path, in a fixed order", () => {
    expect(findCredentials({ token: "b", auth: { password: 1, user: "ada" }, key: "id" })).toEqual([
      ["auth", "password"],
      ["token"],
    ]);
  });
});

describe("a value that doesn't look like a credential", () => {
  test.each([
    "secret_ref",
    "secretName",
    "token_url",
    "tokenizer",
    "password_file",
    "api_key_id",
    "access_key_id",
    "public_key",
    "primary_key",
    "key",
    "keys",
    "spinning",
    "kansas",
    "author",
    "passenger",
    "compass",
    "opinion",
    "username",
    "cookiecutter",
    "keyboard",
    "monkey",
  ])("the key %s", (key) => {
    expect(findCredentials({ [key]: "value" })).toEqual([]);
  });

  test.each([
    { max_tokens: 512 },
    { has_password: true },
    { password: null },
    { token: "" },
    { url: "https://example.com:8443/a@b" },
    { url: "https://ada@example.com" },
    { at: "10:30 user@example.com" },
    {},
    "password",
    null,
  ])("%j", (config) => {
    expect(findCredentials(config)).toEqual([]);
  });
});
