import { messageOf } from '../meta/error-message.js';
import { groupName, type Dialect } from '../names/dialect.js';
import type { ResourceDefinition } from '../registry/definition.js';
import { RuntimeConfig } from '../server/runtime-config.js';

/**
 * Which versions a server serves, by its option `runtimeConfig`. A resource that it does not have may be named, as in
 * Kubernetes; a group or version may not.
 *
 * @throws TypeError naming the option, for what {@link RuntimeConfig.parse} refuses
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
