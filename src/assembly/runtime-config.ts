import { messageOf } from '../meta/error-message.js';
import { groupName, type Dialect } from '../names/dialect.js';
import type { ResourceDefinition } from '../registry/definition.js';
import { RuntimeConfig } from '../server/runtime-config.js';

/**
 * Parses the option `runtimeConfig`: the served versions. As in Kubernetes, unknown resources are accepted; unknown
 * groups and versions are not.
 *
 * @throws TypeError naming the option, when {@link RuntimeConfig.parse} refuses it
 */
export function runtimeConfigOf(
  text: string,
  resources: readonly ResourceDefinition[],
  dialect: Dialect,
): RuntimeConfig {
  if (text === '') return RuntimeConfig.parse('');
  const registered = resources.map(({ group, version }) => ({ group: groupName(group, dialect), version }));
  try {
    return RuntimeConfig.parse(text, { registered });
  } catch (error) {
    const known = [...new Set(registered.map(({ group, version }) => `${group}/${version}`))].sort();
    throw new TypeError(`runtimeConfig: ${messageOf(error)}; this server has ${known.join(', ')}`, { cause: error });
  }
}
