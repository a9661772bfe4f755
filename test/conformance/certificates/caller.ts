import type { ApiServer } from '../../../src/apiserver/api-server.js';
import type { CertificateSigningRequestObject } from '../../../src/entries/controllers.js';
import type { Dialect } from '../../../src/foundation/index.js';
import { toFetchHandler } from '../../../src/transport/fetch/fetch.js';
import { http1Fetch } from '../../transport/support/node-fetch.js';

/** The credentials of a caller. */
export interface Credentials {
  readonly token?: string;
  /** PEM of a client certificate, and its key. */
  readonly cert?: string;
  readonly key?: string;
}

/** An answer of the server. */
export interface Answer<Body> {
  readonly status: number;
  readonly body: Body;
}

interface Status {
  readonly reason: string;
  readonly message: string;
}

/** Sends a request to a path. */
type Send = (path: string, init: RequestInit) => Promise<Response>;

/** A caller of a server. */
export class Caller implements Disposable {
  readonly #send: Send;
  readonly #dialect: Dialect;
  readonly #token: string | undefined;
  readonly #close: () => void;

  constructor(send: Send, dialect: Dialect, token?: string, close: () => void = () => undefined) {
    this.#send = send;
    this.#dialect = dialect;
    this.#token = token;
    this.#close = close;
  }

  /** Over its own connection. @param ca that identifies the server, PEM */
  static overTls(url: string, ca: string, dialect: Dialect, { token, ...tls }: Credentials): Caller {
    const send = http1Fetch({ ca, ...tls });
    return new Caller(
      (path, init) => send(url + path, init),
      dialect,
      token,
      () => send.close(),
    );
  }

  /** Without a connection, by a token. */
  static of(server: ApiServer, token: string): Caller {
    const handle = toFetchHandler(server);
    return new Caller((path, init) => handle(new Request(`https://server${path}`, init)), server.dialect, token);
  }

  async send<Body = Status>(
    method: string,
    path: string,
    body?: object,
    contentType = 'application/json',
  ): Promise<Answer<Body>> {
    const headers = {
      'content-type': contentType,
      ...(this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` }),
    };
    const answer = await this.#send(path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json()) as Body };
  }

  /** Path of the requests, or of one of them. */
  path(...parts: readonly string[]): string {
    return [`/apis/certificates.${this.#dialect.groupSuffix}/v1/certificatesigningrequests`, ...parts].join('/');
  }

  /** Posts a request. @param pem of the certificate request in the object */
  ask(
    name: string,
    pem: string,
    spec: {
      readonly signerName: string;
      readonly usages: readonly string[];
      readonly expirationSeconds?: number;
    } & Record<string, unknown>,
    rest: object = {},
  ) {
    const { groupSuffix } = this.#dialect;
    const object = {
      apiVersion: `certificates.${groupSuffix}/v1`,
      kind: 'CertificateSigningRequest',
      metadata: { name },
      spec: { request: Buffer.from(pem).toString('base64'), ...spec },
      ...rest,
    };
    return this.send<CertificateSigningRequestObject & Status>('POST', this.path(), object);
  }

  /** The current state of a request. */
  async look(name: string): Promise<CertificateSigningRequestObject> {
    return (await this.send<CertificateSigningRequestObject>('GET', this.path(name))).body;
  }

  /** The certificate of a request, PEM; empty if there is none yet. */
  async certificate(name: string): Promise<string> {
    return Buffer.from((await this.look(name)).status?.certificate ?? '', 'base64').toString();
  }

  /** The user that the server derives: name and groups; or the status of a refusal. */
  async whoami(): Promise<readonly string[] | number> {
    const { status, body } = await this.send<{ status: { userInfo: { username: string; groups: string[] } } }>(
      'POST',
      `/apis/authentication.${this.#dialect.groupSuffix}/v1/selfsubjectreviews`,
      {},
    );
    return status === 201 ? [body.status.userInfo.username, ...body.status.userInfo.groups] : status;
  }

  [Symbol.dispose](): void {
    this.#close();
  }
}
