/** docs/reference/limits.md lists every limit, with its option, flag and default. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { wrongTokenChecks } from '../../src/apiserver/options/authentication-checks.js';
import { inFlightChecks, limitChecks, watchChecks } from '../../src/apiserver/options/limit-options.js';
import { defaultWrongTokens } from '../../src/security/authn/wrong-token-throttle.js';
import { duration, size } from '../../src/cli/flags/kinds.js';
import { serveFlags } from '../../src/cli/serve/flags.js';
import { limitFlags, portLimitFlags } from '../../src/cli/serve/flags/limit-flags.js';
import { defaultLimits } from '../../src/server/limits/server-limits.js';
import { defaultInFlight, defaultWatches } from '../../src/server/limits/in-flight.js';
import {
  listenLimitChecks,
  resolveOptions,
  timeoutChecks,
  webSocketChecks,
} from '../../src/transport/node/listening/listen-options.js';

const page = readFileSync(new URL('../../docs/reference/limits.md', import.meta.url), 'utf8');

/** Options whose defaults are shares of the heap. */
const OF_THE_HEAP = new Set([
  'limits.historyBytes',
  'limits.encodingBytes',
  'limits.memoryBytes',
  'limits.objectsTextBytes',
]);

interface Row {
  readonly option: string;
  /** The flag without its dashes; empty if there is none. */
  readonly flag: string;
  readonly shown: string;
}

function rowsOf(heading: string): Row[] {
  const [, section = ''] = new RegExp(`^## ${heading}\n([^]*?)(?=^## |$(?![^]))`, 'm').exec(page) ?? [];
  return [...section.matchAll(/^\| `([\w.]+)` +\| (?:`--([\w-]+)`)? *\| (.*?) +\|/gm)].map(
    ([, option = '', flag = '', shown = '']) => ({ option, flag, shown }),
  );
}

/** The number of a default: a count, a size or a time. */
function numberOf(shown: string): number {
  if (/^[\d.]+$/.test(shown)) return Number(shown);
  const flag = /^\d+(Ki|Mi)$/.test(shown) ? size('0', '') : duration('0s', '');
  return flag.parse(shown, undefined);
}

/** Limits whose default depends on the host. */
const named = (prefix: string, options: object): string[] => Object.keys(options).map((name) => prefix + name);
const valued = (prefix: string, options: object): [string, unknown][] =>
  Object.entries(options).map(([name, value]) => [prefix + name, value]);

describe('docs/reference/limits.md', () => {
  const api = rowsOf('API limits');
  const port = rowsOf('Port limits');

  it('lists every option of the API', () => {
    const { inFlight: _inFlight, watches: _watches, definitions: _definitions, ...plain } = limitChecks;
    const options = [
      ...named('limits.', plain),
      ...named('limits.inFlight.', inFlightChecks),
      ...named('limits.watches.', watchChecks),
      ...named('authentication.wrongBootstrapTokens.', wrongTokenChecks),
    ];
    expect(api.map(({ option }) => option).sort()).toEqual(options.sort());
  });

  it('lists every option of a port', () => {
    const options = [
      ...named('limits.', listenLimitChecks),
      ...named('timeouts.', timeoutChecks),
      ...named('webSocket.', webSocketChecks),
    ];
    expect(port.map(({ option }) => option).sort()).toEqual(options.sort());
  });

  it('lists every limit flag, and no unknown flag', () => {
    const flags = [...api, ...port].map(({ flag }) => flag).filter((flag) => flag !== '');
    const all = [
      // A switch that replaces limits: docs/concepts/fairness.md.
      ...Object.keys(limitFlags).filter((flag) => flag !== 'enable-priority-and-fairness'),
      ...Object.keys(portLimitFlags),
      'history-memory',
      'memory-budget',
      'max-objects-text',
    ];
    expect([...new Set(flags)].sort()).toEqual(all.sort());
    expect(flags.filter((flag) => !(flag in serveFlags))).toEqual([]);
  });

  it('lists the defaults', () => {
    const { inFlight: _inFlight, watches: _watches, definitions: _definitions, ...plain } = defaultLimits;
    const { limits, timeouts } = resolveOptions({});
    const { checkMs: _checkMs, ...ofClients } = timeouts;
    const defaultOf = (rows: readonly Row[]): Record<string, unknown> =>
      Object.fromEntries(
        rows
          .filter(({ option }) => !OF_THE_HEAP.has(option) && !option.startsWith('webSocket.'))
          .map(({ option, shown }) => [option, numberOf(shown)]),
      );
    expect(defaultOf(api)).toEqual(
      Object.fromEntries([
        ...valued('limits.', plain).map(([name, value]) => [name.replace(/Ms$/, ''), value]),
        ...valued('limits.inFlight.', defaultInFlight),
        ...valued('limits.watches.', defaultWatches),
        ...valued('authentication.wrongBootstrapTokens.', defaultWrongTokens),
      ]),
    );
    expect(defaultOf(port)).toEqual(
      Object.fromEntries([
        ...valued('limits.', limits),
        ...valued('timeouts.', ofClients).map(([name, value]) => [name.replace(/Ms$/, ''), value]),
      ]),
    );
  });
});
