import { definedOnly, groupName, systemGroup, type Dialect } from '../../../../foundation/index.js';
import { aggregationLabel, rbacGroup, type AggregatedRole } from '../markers.js';
import type { PolicyRule, Subject } from '../types.js';

/** A cluster role of the default policy in table form. */
export interface RoleRow {
  readonly name: string;
  readonly rules?: readonly PolicyRule[] | undefined;
  /** User-facing roles that aggregate these rules. */
  readonly addsTo?: AggregatedRole | undefined;
  /** User-facing role whose rules this role aggregates. */
  readonly sumOf?: AggregatedRole | undefined;
}

/** A binding to the cluster role of the same name. */
export interface BindingRow {
  readonly name: string;
  readonly subjects: readonly Subject[];
}

/** Verbs of read access. */
export const READ = 'get list watch';
/** See {@link READ}. */
export const WRITE = 'create delete deletecollection patch update';
/** See {@link READ}. */
export const READ_WRITE = 'create delete deletecollection get list patch update watch';

/** Builds the tables of the default policy with the names of a dialect. */
export class PolicyWords {
  readonly dialect: Dialect;
  /** Signers of the platform. */
  readonly signers: readonly string[];
  readonly #group: string;

  constructor(dialect: Dialect) {
    this.dialect = dialect;
    const { apiServerClient, apiServerClientNodeAgent, nodeAgentServing, legacyUnknown } = dialect.signers;
    this.signers = [apiServerClient, apiServerClientNodeAgent, nodeAgentServing, legacyUnknown];
    this.#group = rbacGroup(dialect);
  }

  /**
   * Returns a rule on resources. Each list is a text of names separated by spaces. In groups, `core` is the core group,
   * and a name that ends in a dot is a group of the platform. Lists are sorted, as in Kubernetes.
   */
  on(verbs: string, groups: string, resources: string, names?: string): PolicyRule {
    return {
      verbs: listOf(verbs),
      apiGroups: listOf(groups)
        .map((group) => this.#groupOf(group))
        .sort(),
      resources: listOf(resources),
      ...definedOnly({ resourceNames: names === undefined ? undefined : listOf(names) }),
    };
  }

  /** Returns a rule on paths. */
  urls(verbs: string, paths: string): PolicyRule {
    return { verbs: listOf(verbs), nonResourceURLs: listOf(paths) };
  }

  /** Returns the rule for reporting events. */
  events(): PolicyRule {
    return this.on('create patch update', 'core events.', 'events');
  }

  /** Returns the name of a platform component. */
  component(name: string): string {
    return `${this.dialect.shortProduct}-${name}`;
  }

  user(name: string): Subject {
    return { kind: 'User', apiGroup: this.#group, name };
  }

  group(name: string): Subject {
    return { kind: 'Group', apiGroup: this.#group, name };
  }

  /** Returns a service account of the system namespace. */
  account(name: string): Subject {
    return { kind: 'ServiceAccount', name, namespace: this.dialect.namespaces.system };
  }

  aggregationLabel(role: AggregatedRole): string {
    return aggregationLabel(this.dialect, role);
  }

  #groupOf(group: string): string {
    if (group === 'core') return '';
    return group.endsWith('.') ? groupName(systemGroup(group.slice(0, -1)), this.dialect) : group;
  }
}

const listOf = (text: string): string[] => text.split(' ').sort();
