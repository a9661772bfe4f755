import { definedOnly } from '../../../meta/defined-only.js';
import { groupName, systemGroup, type Dialect } from '../../../names/dialect.js';
import { aggregationLabel, rbacGroup, type AggregatedRole } from '../markers.js';
import type { PolicyRule, Subject } from '../types.js';

/** A cluster role of the default policy, as its table has it. */
export interface RoleRow {
  readonly name: string;
  readonly rules?: readonly PolicyRule[];
  /** User-facing roles that have these rules too. */
  readonly addsTo?: AggregatedRole;
  /** The role is the sum of the roles that add to this one. */
  readonly sumOf?: AggregatedRole;
}

/** A binding of the default policy to the cluster role of its name. */
export interface BindingRow {
  readonly name: string;
  readonly subjects: readonly Subject[];
}

/** Verbs that several roles have. */
export const READ = 'get list watch';
/** See {@link READ}. */
export const WRITE = 'create delete deletecollection patch update';
/** See {@link READ}. */
export const READ_WRITE = 'create delete deletecollection get list patch update watch';

/** The words of a dialect in which the tables of the default policy are written. */
export class PolicyWords {
  readonly dialect: Dialect;
  /** The signers of the platform. */
  readonly signers: readonly string[];
  readonly #group: string;

  constructor(dialect: Dialect) {
    this.dialect = dialect;
    const { apiServerClient, apiServerClientNodeAgent, nodeAgentServing, legacyUnknown } = dialect.signers;
    this.signers = [apiServerClient, apiServerClientNodeAgent, nodeAgentServing, legacyUnknown];
    this.#group = rbacGroup(dialect);
  }

  /**
   * A rule on resources. Lists are texts with blanks; in that of groups `core` is the core group, and a name that ends in a
   * dot is a group of the platform. Lists are sorted, as production's are.
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

  /** A rule on paths. */
  urls(verbs: string, paths: string): PolicyRule {
    return { verbs: listOf(verbs), nonResourceURLs: listOf(paths) };
  }

  /** The rule by which a component reports events. */
  events(): PolicyRule {
    return this.on('create patch update', 'core events.', 'events');
  }

  /** The name of a component of the platform. */
  component(name: string): string {
    return `${this.dialect.shortProduct}-${name}`;
  }

  user(name: string): Subject {
    return { kind: 'User', apiGroup: this.#group, name };
  }

  group(name: string): Subject {
    return { kind: 'Group', apiGroup: this.#group, name };
  }

  /** An account of the system's namespace. */
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
