/**
 * The API groups of one server that other servers serve: their APIServices are followed, and the code that passes
 * requests on is loaded with the first of them.
 *
 * @module
 */
import type { ApiServiceChecks, ExtensionTrust, FrontProxyTrust } from '../../controllers/index.js';
import type {
  Clock,
  DecodeAnswer,
  Dialect,
  Entropy,
  FindService,
  HttpClient,
  Logger,
  ResolveService,
  WorkPart,
} from '../../foundation/index.js';
import { APIService } from '../../kinds/index.js';
import { FollowedConfiguration, type Catalogue } from '../../registry/index.js';
import {
  currentAuthorities,
  defaultIdentityHeaders,
  type CertificateAuthorities,
  type ClientCertificateOptions,
  type FrontProxyCertificate,
  type GeneratedAuthority,
  type ProxyCertificate,
  type RequestHeaderOptions,
} from '../../security/index.js';
import { importFrontProxyCertificate } from '../../security/late.js';
import type {
  CheckedVersion,
  RemoteApis,
  RemoteDocument,
  RemoteGroups,
  RemoteVersion,
  RouteRemote,
  UpgradeRemote,
} from '../../server/index.js';
import { importAggregation } from '../../server/late.js';
import type { Storage } from '../../storage/index.js';
import type { GivenAuthority } from '../authentication/certificates.js';

/** Dependencies of {@link Aggregation}. */
export interface AggregationParts {
  readonly catalogue: Catalogue;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly dialect: Dialect;
  readonly logger: Logger;
  readonly http: HttpClient;
  readonly findService: FindService;
  /** Decodes the documents of other servers. */
  readonly decode: DecodeAnswer;
  /** Begins work of the server itself, whose memory counts against its budget. */
  readonly ownWork: () => WorkPart;
  /** The option of the server that knows services that no object describes. */
  readonly resolveService: ResolveService | undefined;
  /** The configured certificate; undefined for one that the server issues. */
  readonly frontProxy: GivenAuthority | (() => GivenAuthority) | undefined;
  /** The headers from which this server reads users that a proxy names. */
  readonly requestHeader: RequestHeaderOptions | undefined;
  /** The configured authorities of client certificates. */
  readonly clientCertificates: ClientCertificateOptions | undefined;
  /** Loads the authority of client certificates that the server creates; undefined when it creates none. */
  readonly generatedAuthority: (() => Promise<GeneratedAuthority>) | undefined;
}

/** The API groups that other servers serve. */
export class Aggregation implements ApiServiceChecks, RemoteGroups {
  readonly #parts: AggregationParts;
  readonly #configuration: FollowedConfiguration<RemoteApis>;
  /** Undefined before the first APIService. */
  #apis: RemoteApis | undefined;
  #certificate: Promise<FrontProxyCertificate> | undefined;

  constructor(parts: AggregationParts) {
    const { catalogue, logger } = parts;
    this.#parts = parts;
    this.#configuration = new FollowedConfiguration<RemoteApis>({
      ...{ catalogue, logger },
      subject: 'API services',
      kinds: [
        {
          definition: APIService,
          needsPart: true,
          present: (name, object) => (apis) => apis.set(name, object),
          absent: (name) => (apis) => apis.delete(name),
        },
      ],
      load: () => this.#load(),
    });
  }

  /**
   * Reads the stored APIServices, and starts to follow them.
   *
   * @throws StorageError when the storage cannot be read
   */
  start(): Promise<void> {
    return this.#configuration.start();
  }

  /** Stops following. */
  stop(): void {
    this.#configuration.stop();
    this.#apis?.close();
    void this.#certificate?.then(
      (certificate) => certificate.close(),
      () => undefined,
    );
  }

  /** Answers the requests for other servers. */
  readonly route: RouteRemote = (scope, host) => this.#configuration.use((apis) => apis.route(scope, host));

  /** Opens the WebSockets of other servers. */
  readonly upgrade: UpgradeRemote = (scope, host) => this.#configuration.use((apis) => apis.upgrade(scope, host));

  versions(): readonly RemoteVersion[] {
    return this.#apis?.versions ?? NO_VERSIONS;
  }

  documents(): Promise<readonly RemoteDocument[]> {
    return this.#apis?.documents() ?? Promise.resolve([]);
  }

  get decode(): DecodeAnswer {
    return this.#parts.decode;
  }

  get ownWork(): () => WorkPart {
    return this.#parts.ownWork;
  }

  async isGiven(service: CheckedVersion['service']): Promise<boolean> {
    return (await this.#parts.resolveService?.(service)) !== undefined;
  }

  async problem(checked: CheckedVersion): Promise<string | undefined> {
    return this.#configuration.use((apis) => apis.problem(checked));
  }

  /**
   * Returns the credentials that the other servers may accept.
   *
   * @throws StorageError when an authority cannot be read
   */
  async extensionTrust(): Promise<ExtensionTrust> {
    const { clientCertificates, generatedAuthority } = this.#parts;
    const generated = await generatedAuthority?.();
    await generated?.ready();
    const configured = pemOf(clientCertificates?.certificateAuthorities);
    return { clientAuthorities: configured + (generated?.certificates() ?? ''), frontProxy: await this.#proxyTrust() };
  }

  /** The header fields are those with which requests are passed on, and those from which this server reads users. */
  async #proxyTrust(): Promise<FrontProxyTrust | undefined> {
    const { frontProxy, requestHeader } = this.#parts;
    const configured = pemOf(requestHeader?.certificateAuthorities);
    const issued = frontProxy === undefined ? await this.#issued() : undefined;
    if (issued === undefined && configured === '') return undefined;
    const { FRONT_PROXY_NAME } = await importFrontProxyCertificate();
    return {
      authorities: configured + ((await issued?.authorities()) ?? ''),
      allowedNames: [...(requestHeader?.allowedNames ?? []), ...(issued === undefined ? [] : [FRONT_PROXY_NAME])],
      usernameHeaders: [...defaultIdentityHeaders.usernameHeaders, ...(requestHeader?.usernameHeaders ?? [])],
      groupHeaders: [...defaultIdentityHeaders.groupHeaders, ...(requestHeader?.groupHeaders ?? [])],
      extraHeaderPrefixes: [
        ...defaultIdentityHeaders.extraHeaderPrefixes,
        ...(requestHeader?.extraHeaderPrefixes ?? []),
      ],
    };
  }

  async #load(): Promise<RemoteApis> {
    const { requestHeader, ...parts } = this.#parts;
    const { usernameHeaders = [], groupHeaders = [], extraHeaderPrefixes = [] } = requestHeader ?? {};
    const { RemoteApis } = await importAggregation();
    this.#apis = new RemoteApis({
      ...parts,
      memory: parts.catalogue.environment.memory,
      isOwn: (group, version) => isOwn(parts.catalogue, group, version),
      identity: () => this.#identity(),
      identityFields: [...usernameHeaders, ...groupHeaders, ...extraHeaderPrefixes].map((name) => name.toLowerCase()),
    });
    return this.#apis;
  }

  #identity(): ProxyCertificate | Promise<ProxyCertificate> {
    const { frontProxy } = this.#parts;
    if (frontProxy === undefined) return this.#issued().then((certificate) => certificate.current());
    const { certificatePem, keyPem } = typeof frontProxy === 'function' ? frontProxy() : frontProxy;
    return { certificate: certificatePem, key: keyPem };
  }

  #issued(): Promise<FrontProxyCertificate> {
    return (this.#certificate ??= importFrontProxyCertificate().then(
      ({ FrontProxyCertificate }) => new FrontProxyCertificate(this.#parts),
    ));
  }
}

/** Returns the current text of authorities, to which another one can be added; empty without any. */
function pemOf(authorities: CertificateAuthorities | undefined): string {
  const pem = currentAuthorities(authorities);
  return pem === '' || pem.endsWith('\n') ? pem : `${pem}\n`;
}

const NO_VERSIONS: readonly RemoteVersion[] = Object.freeze([]);

/** Returns whether a version has kinds of the server's options: they stay here, like the core group. */
const isOwn = (catalogue: Catalogue, group: string, version: string): boolean =>
  catalogue.kindsOf('').some((definition) => {
    const info = catalogue.infoOf(definition);
    return info?.group === group && info.version === version;
  });
