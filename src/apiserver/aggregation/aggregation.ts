/**
 * The API groups of one server that other servers serve: their APIServices are followed, and the code that passes
 * requests on is loaded with the first of them.
 *
 * @module
 */
import type { ApiServiceChecks } from '../../controllers/index.js';
import type {
  Clock,
  Dialect,
  Entropy,
  FindService,
  HttpClient,
  Logger,
  ResolveService,
} from '../../foundation/index.js';
import { APIService } from '../../kinds/index.js';
import { FollowedConfiguration, type Catalogue } from '../../registry/index.js';
import type { FrontProxyCertificate, ProxyCertificate, RequestHeaderOptions } from '../../security/index.js';
import { importFrontProxyCertificate } from '../../security/late.js';
import type { CheckedVersion, RemoteApis, RemoteGroups, RemoteVersion, RouteRemote } from '../../server/index.js';
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
  /** The option of the server that knows services that no object describes. */
  readonly resolveService: ResolveService | undefined;
  /** The configured certificate; undefined for one that the server issues. */
  readonly frontProxy: GivenAuthority | (() => GivenAuthority) | undefined;
  /** The headers from which this server reads users that a proxy names. */
  readonly requestHeader: RequestHeaderOptions | undefined;
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

  versions(): readonly RemoteVersion[] {
    return this.#apis?.versions ?? NO_VERSIONS;
  }

  async isGiven(service: CheckedVersion['service']): Promise<boolean> {
    return (await this.#parts.resolveService?.(service)) !== undefined;
  }

  async problem(checked: CheckedVersion): Promise<string | undefined> {
    return this.#configuration.use((apis) => apis.problem(checked));
  }

  async #load(): Promise<RemoteApis> {
    const { requestHeader, ...parts } = this.#parts;
    const { usernameHeaders = [], groupHeaders = [], extraHeaderPrefixes = [] } = requestHeader ?? {};
    const { RemoteApis } = await importAggregation();
    this.#apis = new RemoteApis({
      ...parts,
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

const NO_VERSIONS: readonly RemoteVersion[] = Object.freeze([]);

/** Returns whether a version has kinds of the server's options: they stay here, like the core group. */
const isOwn = (catalogue: Catalogue, group: string, version: string): boolean =>
  catalogue.kindsOf('').some((definition) => {
    const info = catalogue.infoOf(definition);
    return info?.group === group && info.version === version;
  });
