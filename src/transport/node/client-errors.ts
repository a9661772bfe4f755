import type { Duplex } from 'node:stream';

/** Answers by the code of the parser's error; other errors of HTTP are a 400. */
const ANSWERS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Answers bytes that are not a request of HTTP/1.1, and closes. */
export function answerClientError(error: Error & { readonly code?: string }, socket: Duplex): void {
  const code = error.code ?? '';
  // Others are of TLS, where nothing can be written yet, or of a connection that is gone.
  const http = code.startsWith('HPE_') || code.startsWith('ERR_HTTP_');
  if (!http || !socket.writable || answered(socket)) {
    socket.destroy();
    return;
  }
  const status = ANSWERS[code] ?? '400 Bad Request';
  const head = `HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\nContent-Length: ${status.length}\r\n\r\n`;
  // A client that never reads must not keep the connection: it is destroyed when the answer is out.
  socket.end(head + status, () => socket.destroy());
}

/** Whether an answer is under way on the connection, which a second one would corrupt. Node marks the socket so. */
function answered(socket: Duplex): boolean {
  if (!('_httpMessage' in socket)) return false;
  const message = socket._httpMessage;
  return typeof message === 'object' && message !== null && 'headersSent' in message && message.headersSent === true;
}
