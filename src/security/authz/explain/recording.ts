import type { Dialect } from '../../../foundation/index.js';
import type { Attributes } from '../attributes.js';
import type { Decision } from '../authorizer.js';
import { leastRoles, type LeastRole } from './least-privilege.js';
import type { BindingManifest, RoleManifest } from './manifests.js';

/** Options of a recording. */
export interface RecordingOptions {
  /** Name of the roles and bindings; default `<user>-access`. */
  readonly name?: string | undefined;
  /** Maximum number of distinct requests, for allowed and refused requests each. Default 10,000. */
  readonly maxRequests?: number | undefined;
}

/** Options of {@link AccessRecording}. */
export interface RecordingContext extends RecordingOptions {
  readonly dialect: Dialect;
  /** User whose requests are recorded; default all users. */
  readonly username?: string | undefined;
  /** True for cluster-scoped resources: their requests are recorded without a namespace. */
  readonly isClusterScoped?: ((apiGroup: string, resource: string) => boolean) | undefined;
  /** Called when the recording ends. */
  readonly onStop?: ((recording: AccessRecording) => void) | undefined;
}

const MAX_REQUESTS = 10_000;

/** Records the distinct requests of users and derives their least-privilege roles. */
export class AccessRecording {
  readonly #context: RecordingContext;
  readonly #allowed = new Map<string, Attributes>();
  readonly #refused = new Map<string, Attributes>();
  readonly #maxRequests: number;
  /** Whether requests of each kind were dropped. */
  #lost = { allowed: false, refused: false };
  #stopped = false;

  /** @internal */
  constructor(context: RecordingContext) {
    this.#context = context;
    this.#maxRequests = context.maxRequests ?? MAX_REQUESTS;
  }

  /** Allowed requests, in the order of their first occurrence. Versions and selectors make no difference. */
  get requests(): readonly Attributes[] {
    return [...this.#allowed.values()];
  }

  /** Refused requests. A request that was allowed at another time is in both lists. */
  get refused(): readonly Attributes[] {
    return [...this.#refused.values()];
  }

  /** False once requests were dropped because of the maximum. Roles are unavailable when some of these were allowed. */
  get complete(): boolean {
    return !this.#lost.allowed && !this.#lost.refused;
  }

  /**
   * Records a decision.
   *
   * @internal
   */
  add(attributes: Attributes, { decision }: Decision): void {
    if (this.#stopped || (this.#context.username !== undefined && attributes.user.username !== this.#context.username))
      return;
    const outcome = decision === 'Allow' ? 'allowed' : 'refused';
    const requests = outcome === 'allowed' ? this.#allowed : this.#refused;
    const request = this.#permissionOf(attributes);
    const key = keyOf(request);
    if (requests.has(key)) return;
    if (requests.size < this.#maxRequests) requests.set(key, request);
    else this.#lost[outcome] = true;
  }

  /**
   * Returns the role that allows all recorded requests.
   *
   * @throws Error when the requests need several roles or none, and when there were too many requests
   */
  role(): RoleManifest {
    const roles = this.roles();
    const [role] = roles;
    if (role === undefined) throw new Error('no allowed request was recorded');
    if (roles.length > 1)
      throw new Error(
        `the recorded requests need ${roles.length} roles (${roles.map(roleText).join(', ')}): use roles()`,
      );
    return role;
  }

  /**
   * Returns the least-privilege roles for all recorded requests. Each user gets one ClusterRole for cluster-scoped and
   * cluster-wide requests and for paths, and one Role per namespace.
   *
   * @throws Error when there were too many requests, see {@link complete}
   */
  roles(): RoleManifest[] {
    return this.#least().map(({ role }) => role);
  }

  /**
   * Returns the bindings of {@link roles} to their users.
   *
   * @throws Error when there were too many requests, see {@link complete}
   */
  bindings(): BindingManifest[] {
    return this.#least().flatMap(({ binding }) => binding ?? []);
  }

  /** Ends the recording. Recorded requests stay. */
  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#context.onStop?.(this);
  }

  /** {@link stop}, for `using`. */
  [Symbol.dispose](): void {
    this.stop();
  }

  #least(): LeastRole[] {
    if (this.#lost.allowed)
      throw new Error(
        `more than ${this.#maxRequests} distinct requests were made, so the roles would be incomplete: raise maxRequests`,
      );
    return leastRoles(this.#allowed.values(), this.#context);
  }

  /** Removes the parts of a request that roles do not read. */
  #permissionOf({ labelSelector: _labels, fieldSelector: _fields, ...request }: Attributes): Attributes {
    if (!request.isResource) return request;
    const clusterScoped = this.#context.isClusterScoped?.(request.apiGroup, request.resource) === true;
    return { ...request, path: '', ...(clusterScoped ? { namespace: '' } : {}) };
  }
}

const keyOf = ({
  user,
  verb,
  isResource,
  namespace,
  apiGroup,
  resource,
  subresource,
  name,
  path,
}: Attributes): string =>
  JSON.stringify([user.username, verb, isResource, namespace, apiGroup, resource, subresource, name, path]);

const roleText = ({ kind, metadata: { name, namespace } }: RoleManifest): string =>
  `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
