type Sent = {
  method: string;
  headers: Record<string, string>;
  body: Blob | string;
  signal?: AbortSignal | undefined;
};

/**
 * Like `fetch`, which doesn't report upload progress. `onSent` receives the bytes sent so far.
 * @throws as fetch does
 */
export function sendBody(
  url: string,
  { method, headers, body, signal }: Sent,
  onSent: (bytes: number) => void,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded }) => onSent(loaded);
    request.onload = () => {
      const type = request.getResponseHeader("content-type");
      resolve(
        new Response(request.responseText, {
          status: request.status,
          ...(type && { headers: { "Content-Type": type } }),
        }),
      );
    };
    request.onerror = () => reject(new TypeError("The connection was lost."));
    request.onabort = () => reject(new DOMException("The upload was cancelled.", "AbortError"));
    signal?.addEventListener("abort", () => request.abort(), { once: true });
    request.send(body);
  });
}
