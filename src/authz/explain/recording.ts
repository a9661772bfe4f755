import type { Dialect } from '../../names/dialect.js';
import type { Attributes } from '../attributes.js';
import type { Decision } from '../authorizer.js';
import { leastRoles, type LeastRole } from './least-privilege.js';
import type { BindingManifest, RoleManifest } from './manifests.js';

/** Options of a recording. */
export interface RecordingOptions {
  /** Name of the roles and bindings; default `<user>-access`. */
  readonly name?: string | undefined;
  /** Distinct requests that are kept, allowed and refused ones each; default 10,000. */
  readonly maxRequests?: number | undefined;
}

/** What a recording is made with. */
export interface RecordingContext extends RecordingOptions {
  readonly dialect: Dialect;
  /** Whose requests are recorded; default everybody's. */
  readonly username?: string | undefined;
  /** True for resources outside of namespaces: their requests are recorded without one. */
  readonly isClusterScoped?: ((apiGroup: string, resource: string) => boolean) | undefined;
  /** Called when the recording ends. */
  readonly onStop?: ((recording: AccessRecording) => void) | undefined;
}

const MAX_REQUESTS = 10_000;

/** What users asked for from a moment on, each thing once, and the roles that they need for it. */
export class AccessRecording {
  readonly #context: RecordingContext;
  readonly #allowed = new Map<string, Attributes>();
  readonly #refused = new Map<string, Attributes>();
  readonly #maxRequests: number;
  /** Whether some were left out, of either kind. */
  #lost = { allowed: false, refused: false };
  #stopped = false;

  constructor(context: RecordingContext) {
    this.#context = context;
    this.#maxRequests = context.maxRequests ?? MAX_REQUESTS;
  }

  /** Requests that were allowed, in the order in which they first came. Versions and selectors make no difference. */
  get requests(): readonly Attributes[] {
    return [...this.#allowed.values()];
  }

  /** Requests that were not allowed. What was allowed at another time is in both lists. */
  get refused(): readonly Attributes[] {
    return [...this.#refused.values()];
  }

  /** False once there were more distinct requests than are kept. Roles are no longer made when some of these were allowed. */
  get complete(): boolean {
    return !this.#lost.allowed && !this.#lost.refused;
  }

  /** Takes a decision down. */
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
   * The role with which the user may do all that was done.
   *
   * @throws Error when it takes several, or none; when there were too many requests
   */
  role(): RoleManifest {
    const roles = this.roles();
    const [role] = roles;
    if (role === undefined) throw new Error('nothing was allowed that a role could be made of');
    if (roles.length > 1)
      throw new Error(
        `it takes ${roles.length} roles to allow what was done (${roles.map(roleText).join(', ')}): see roles()`,
      );
    return role;
  }

  /**
   * The roles with which users may do all that was done, and nothing else: for each user a ClusterRole for what was outside of
   * namespaces, over all of them, or on paths, and a Role for each namespace.
   *
   * @throws Error when there were too many requests, see {@link complete}
   */
  roles(): RoleManifest[] {
    return this.#least().map(({ role }) => role);
  }

  /**
   * The bindings of {@link roles} to their users.
   *
   * @throws Error when there were too many requests, see {@link complete}
   */
  bindings(): BindingManifest[] {
    return this.#least().flatMap(({ binding }) => binding ?? []);
  }

  /** Ends the recording. What was recorded stays. */
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
        `there were more than ${this.#maxRequests} distinct requests, so that roles would lack some: raise maxRequests`,
      );
    return leastRoles(this.#allowed.values(), this.#context);
  }

  /** A request without what roles do not look at. */
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
