/** The table of kinds in docs/reference/resources.md is that of the code. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { groupName, kubernetes } from '../../../src/foundation/index.js';
import type { ResourceDefinition } from '../../../src/registry/definition/definition.js';
import { enabledBetas } from '../../../src/kinds/facts/groups.js';
import { builtinResources } from '../../../src/kinds/builtin/index.js';

const page = readFileSync(fileURLToPath(new URL('../../../docs/reference/resources.md', import.meta.url)), 'utf8');

const groupWord = ({ group }: ResourceDefinition): string =>
  typeof group === 'string' ? (group === '' ? 'core' : group) : group.system;

/** The condition for a server to serve a kind. */
function conditionOf({ group, version, featureGate }: ResourceDefinition): string {
  const isBeta = enabledBetas.some(
    (beta) => groupName(beta.group, kubernetes) === groupName(group, kubernetes) && beta.version === version,
  );
  const needsVersion = !/^v[0-9]+$/.test(version) && !isBeta;
  return [...(needsVersion ? ['version'] : []), ...(featureGate === undefined ? [] : [`gate \`${featureGate}\``])].join(
    ', ',
  );
}

const rowOf = (definition: ResourceDefinition): string =>
  [
    definition.kind,
    groupWord(definition),
    definition.version,
    (definition.shortNames ?? []).join(' '),
    Object.keys(definition.subresources ?? {}).join(' '),
    conditionOf(definition),
  ].join(' | ');

test('the table of kinds has every kind, with what serves it', () => {
  const rows = page
    .split('\n')
    .filter((line) => /^\| [A-Z]\w+ +\| [a-z.]+ +\| v[0-9]/.test(line))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim())
        .join(' | '),
    );
  expect(rows).toEqual(builtinResources.map(rowOf).sort());
});
