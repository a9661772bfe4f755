import { decodeBase64Text, type OutboundTls, type StoredObject, type WebhookService } from '../../foundation/index.js';
import type { APIService } from '../../kinds/index.js';
import type { RequestInfo } from '../requests/request-info.js';

/** The server of a version of an API group, as an APIService names it. */
export interface RemoteService {
  /** Name of the APIService. */
  readonly name: string;
  readonly group: string;
  readonly version: string;
  /** Its priorities in discovery. */
  readonly groupPriority: number;
  readonly versionPriority: number;
  readonly service: WebhookService;
  /** How its certificate is checked; an error for a bundle that is not readable. */
  readonly tls: Pick<OutboundTls, 'certificateAuthority' | 'insecureSkipVerify' | 'serverName'> | Error;
  /** Whether its condition `Available` is True. */
  readonly isAvailable: boolean;
}

const DEFAULT_PORT = 443;
/** Start of the path of the OpenAPI document of a version, which ends as the path of the version. */
const OPENAPI = /^\/openapi\/v3\//;

/** The versions of API groups that other servers serve: those whose APIService names a service. */
export class RemoteServices {
  /** By group and version. */
  readonly #groups = new Map<string, Map<string, RemoteService>>();

  /** Takes a new or changed APIService. @returns its server; undefined for this one */
  set(name: string, object: StoredObject): RemoteService | undefined {
    const { spec, status } = object as APIService;
    if (spec?.service === undefined) {
      this.delete(name);
      return undefined;
    }
    const { group, version } = partsOf(name);
    const { name: service = '', namespace = '', port = DEFAULT_PORT } = spec.service;
    const versions = this.#groups.get(group) ?? new Map<string, RemoteService>();
    this.#groups.set(group, versions);
    const remote: RemoteService = {
      ...{ name, group, version },
      groupPriority: spec.groupPriorityMinimum,
      versionPriority: spec.versionPriority,
      service: { namespace, name: service, port },
      tls: tlsOf(spec),
      isAvailable: (status?.conditions ?? []).some(({ type, status }) => type === 'Available' && status === 'True'),
    };
    versions.set(version, remote);
    return remote;
  }

  /** Forgets an APIService. */
  delete(name: string): void {
    const { group, version } = partsOf(name);
    const versions = this.#groups.get(group);
    versions?.delete(version);
    if (versions?.size === 0) this.#groups.delete(group);
  }

  /** Returns the server that a request is for; undefined for this server. */
  of({ isResource, group, version, path }: RequestInfo): RemoteService | undefined {
    if (this.#groups.size === 0) return undefined;
    if (isResource) return this.#groups.get(group)?.get(version);
    const [, root, first = '', second = ''] = path.replace(OPENAPI, '/').split('/');
    if (root === 'api') return this.#groups.get('')?.get(first);
    return root === 'apis' && first !== '' ? this.#groups.get(first)?.get(second) : undefined;
  }
}

/** Returns the parts of the name of an APIService, `<version>.<group>`. */
export function partsOf(name: string): { readonly group: string; readonly version: string } {
  const dot = name.indexOf('.');
  return { version: name.slice(0, dot), group: name.slice(dot + 1) };
}

/** Returns the path of a version. */
export const versionPath = ({ group, version }: Pick<RemoteService, 'group' | 'version'>): string =>
  group === '' ? `/api/${version}` : `/apis/${group}/${version}`;

function tlsOf({
  service,
  caBundle = '',
  insecureSkipTLSVerify,
}: NonNullable<APIService['spec']>): RemoteService['tls'] {
  const certificateAuthority = decodeBase64Text(caBundle);
  if (certificateAuthority === undefined || (caBundle !== '' && !certificateAuthority.includes('-----BEGIN ')))
    return new Error('unable to load root certificates: unable to parse bytes as PEM block');
  return {
    certificateAuthority,
    insecureSkipVerify: insecureSkipTLSVerify,
    serverName: `${service?.name}.${service?.namespace}.svc`,
  };
}
