import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { Socket } from 'node:net';
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls';
import type { Peer, PeerCertificate } from '../../server/http.js';

/** A request of either HTTP version. */
export type NodeRequest = IncomingMessage | Http2ServerRequest;

/** A response of either HTTP version. */
export type NodeResponse = ServerResponse | Http2ServerResponse;

/**
 * Certificates by connection: a certificate does not change while the connection lives, and reading it builds many
 * objects. `null` stands for a connection without one.
 */
const certificates = new WeakMap<TLSSocket, PeerCertificate | null>();

/** Who sent a request. Nothing is asked of the socket until it is read. */
export class NodePeer implements Peer {
  readonly #request: NodeRequest;

  constructor(request: NodeRequest) {
    this.#request = request;
  }

  get address(): string | undefined {
    return this.#socket()?.remoteAddress;
  }

  get tls(): boolean {
    const socket = this.#socket();
    return socket !== undefined && isTls(socket);
  }

  /** The client certificate, or undefined when the client sent none or the connection is not TLS. */
  certificate(): PeerCertificate | undefined {
    const socket = this.#socket();
    if (socket === undefined || !isTls(socket)) return undefined;
    let certificate = certificates.get(socket);
    if (certificate === undefined) {
      certificate = readCertificate(socket);
      certificates.set(socket, certificate);
    }
    return certificate ?? undefined;
  }

  #socket(): Socket | TLSSocket | undefined {
    // The compatibility socket of HTTP/2 is made anew for each stream; the session's is one for the connection.
    if ('stream' in this.#request) return this.#request.stream.session?.socket;
    return this.#request.socket;
  }
}

function isTls(socket: Socket | TLSSocket): socket is TLSSocket {
  return 'encrypted' in socket && socket.encrypted;
}

function readCertificate(socket: TLSSocket): PeerCertificate | null {
  // Typed as always present, though Node gives null or an empty object when the client sent no certificate.
  let link: Partial<DetailedPeerCertificate> | null | undefined = socket.getPeerCertificate(true);
  const chain: Uint8Array[] = [];
  const seen = new Set<unknown>();
  while (link?.raw !== undefined && !seen.has(link)) {
    chain.push(link.raw);
    seen.add(link);
    // A self-signed certificate is its own issuer.
    link = link.issuerCertificate;
  }
  return chain.length === 0 ? null : { chain, authorized: socket.authorized };
}
