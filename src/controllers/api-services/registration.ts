import type { Dialect } from '../../foundation/index.js';
import { APIService } from '../../kinds/index.js';
import type { ControllerHost } from '../runtime/controller-host.js';
import { joined, type Controller } from '../runtime/controller.js';
import { reconciler } from '../runtime/reconciler.js';
import { routine } from '../runtime/routine.js';
import type { ServedKind, ServedKinds } from '../runtime/served-kinds.js';
import { LocalApiServices, localVersions, type LocalVersion } from './local-versions.js';

/** Options of {@link apiServiceRegistration}. */
export interface ApiServiceRegistrationOptions extends ControllerHost {
  readonly kinds: ServedKinds;
}

/**
 * Keeps the APIServices of the versions that come and go with custom resource definitions: creates them, restores what
 * users change or delete, and deletes them with the last kind of a version.
 *
 * @see release 1.31, the controllers autoregister and crdregistration
 */
export function apiServiceRegistration(options: ApiServiceRegistrationOptions): Controller {
  const { client, dialect, kinds } = options;
  const name = 'apiservice-registration';
  const local = new LocalApiServices(client, dialect);
  const served = new ServedVersions(kinds, dialect);

  const kept = reconciler(options, {
    name,
    queue: 'autoregister',
    kind: APIService,
    async reconcile(object, { key }) {
      if (local.upkeepOf(object) !== 'true') return;
      const version = served.current.get(key);
      return version === undefined ? local.delete(object) : local.restore(object, version);
    },
    async gone(key) {
      const version = served.current.get(key);
      if (version?.upkeep === 'true') await local.create(version);
    },
  });
  let known: ReadonlyMap<string, LocalVersion> = new Map();
  const changes = routine(options, {
    name,
    queue: 'crd_autoregistration_controller',
    async run() {
      const { current } = served;
      for (const key of current.keys()) if (!known.has(key)) kept.add(key);
      for (const key of known.keys()) if (!current.has(key)) kept.add(key);
      known = current;
    },
  });
  kinds.onChange(() => void changes.run());
  return joined(name, changes, kept);
}

/** The versions that the server serves now. */
class ServedVersions {
  readonly #kinds: ServedKinds;
  readonly #dialect: Dialect;
  #of: readonly ServedKind[] = [];
  #versions: ReadonlyMap<string, LocalVersion> = new Map();

  constructor(kinds: ServedKinds, dialect: Dialect) {
    this.#kinds = kinds;
    this.#dialect = dialect;
  }

  /** The versions, by the names of their APIServices: the same map until the kinds change. */
  get current(): ReadonlyMap<string, LocalVersion> {
    const { all } = this.#kinds;
    if (all !== this.#of) {
      this.#of = all;
      this.#versions = localVersions(all, this.#dialect);
    }
    return this.#versions;
  }
}
