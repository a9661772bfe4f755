import { systemGroup, groupName, type Dialect, type SystemGroup } from '../../names/dialect.js';

/** The platform's groups in the order in which clients are to prefer them where two have a resource of the same name. */
const ORDER: readonly (string | SystemGroup)[] = [
  '',
  systemGroup('apiregistration'),
  'apps',
  systemGroup('events'),
  systemGroup('authentication'),
  systemGroup('authorization'),
  'autoscaling',
  'batch',
  systemGroup('certificates'),
  systemGroup('networking'),
  'policy',
  systemGroup('rbac.authorization'),
  systemGroup('storage'),
  systemGroup('admissionregistration'),
  systemGroup('apiextensions'),
  systemGroup('scheduling'),
  systemGroup('coordination'),
  systemGroup('node'),
  systemGroup('discovery'),
  systemGroup('flowcontrol.apiserver'),
];

/** Compares groups: the platform's own in their order, then all others by name. */
export function groupOrder(dialect: Dialect): (a: string, b: string) => number {
  const ranks = new Map(ORDER.map((group, rank) => [groupName(group, dialect), rank]));
  return (a, b) => (ranks.get(a) ?? ORDER.length) - (ranks.get(b) ?? ORDER.length) || (a < b ? -1 : a > b ? 1 : 0);
}
