import { describe, expect, it } from 'vitest';
import { ApiServer } from '../../src/entries/index.js';
import { FeatureGates, featureGates, type FeatureGate } from '../../src/server/settings/feature-gates.js';

const known: readonly FeatureGate[] = [
  { name: 'Young', stage: 'Alpha', default: false, owner: 'test', since: '1.31' },
  { name: 'Grown', stage: 'Beta', default: true, owner: 'test', since: '1.31' },
  { name: 'Settled', stage: 'GA', default: true, owner: 'test', since: '1.31' },
  { name: 'Leaving', stage: 'Deprecated', default: false, owner: 'test', since: '1.31' },
];

const on = (gates: FeatureGates): string[] => gates.entries().flatMap(([name, enabled]) => (enabled ? [name] : []));

describe('FeatureGates', () => {
  it('has the defaults of release 1.31', () => {
    const defaults = FeatureGates.parse('');
    const named = (stage: string, enabled: boolean): string[] =>
      featureGates.flatMap((gate) =>
        gate.stage === stage && defaults.enabled(gate.name) === enabled ? [gate.name] : [],
      );
    expect(named('Alpha', true)).toEqual([]);
    expect(named('GA', false)).toEqual([]);
    // Beta features with a beta version of an API, or that release 1.31 leaves off for another reason.
    expect(named('Beta', false)).toEqual([
      'MultiCIDRServiceAllocator',
      'ProcMountType',
      'UserNamespacesSupport',
      'VolumeAttributesClass',
    ]);
    expect(FeatureGates.parse('WatchList=true').enabled('WatchList')).toBe(true);
  });

  it.each([
    ['Young=true', ['Grown', 'Settled', 'Young']],
    [' Young = T , Grown=0 ', ['Settled', 'Young']],
    ['AllAlpha=true', ['Grown', 'Settled', 'Young']],
    ['AllBeta=false', ['Settled']],
    ['AllAlpha=true,Young=false', ['Grown', 'Settled']],
    ['Young=false,AllAlpha=true', ['Grown', 'Settled']],
    ['Young=true,Young=false', ['Grown', 'Settled']],
    ['Settled=true,,', ['Grown', 'Settled']],
  ])('%s', (text, expected) => {
    expect(on(FeatureGates.parse(text, known))).toEqual(expected);
  });

  it.each([
    ['Nothing=true', 'unrecognized feature gate: Nothing'],
    ['Settled=false', 'cannot set feature gate Settled to false, feature is locked to true'],
    ['Young', 'missing bool value for Young'],
    ['Young=yes', 'invalid value of Young=yes, err: strconv.ParseBool: parsing "yes": invalid syntax'],
    [
      'Settled=false,Other=true,Young=true',
      '[cannot set feature gate Settled to false, feature is locked to true, unrecognized feature gate: Other]',
    ],
    ['__proto__=true', 'unrecognized feature gate: __proto__'],
  ])('rejects %s', (text, message) => {
    expect(() => FeatureGates.parse(text, known)).toThrow(new Error(message));
  });

  it('warns about gates that will be removed', () => {
    expect(FeatureGates.parse('Settled=true,Leaving=true', known).warnings).toEqual([
      'Setting GA feature gate Settled=true. It will be removed in a future release.',
      'Setting deprecated feature gate Leaving=true. It will be removed in a future release.',
    ]);
  });
});

describe('a gate that will be removed', () => {
  const text = 'Setting GA feature gate ServerSideApply=true. It will be removed in a future release.';
  const deprecated =
    'Setting deprecated feature gate AllowServiceLBStatusOnNonLB=true. It will be removed in a future release.';

  it('is logged as a warning when it is set, and as information to a logger without warnings', async () => {
    const [warned, told]: [string[], string[]] = [[], []];
    const info = (line: string): void => void told.push(line);
    const warn = (line: string): void => void warned.push(line);
    const featureGates = { ServerSideApply: true, AllowServiceLBStatusOnNonLB: true, WatchList: true };
    await using first = new ApiServer({
      featureGates,
      observability: { logger: { info, warn, error: () => undefined } },
    });
    await first.ready();
    expect([warned, told]).toEqual([[text, deprecated], []]);
    await using second = new ApiServer({ featureGates, observability: { logger: { info, error: () => undefined } } });
    await second.ready();
    expect(told).toEqual([text, deprecated]);
    await using third = new ApiServer({ observability: { logger: { info, warn, error: () => undefined } } });
    await third.ready();
    expect(warned).toHaveLength(2);
  });
});
