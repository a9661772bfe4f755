import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin, Mutated } from '../registry/admission.js';
import type { ResourceDefinition } from '../registry/definition.js';

type Round = 0 | 1;
type Stage = (attributes: AdmissionAttributes, round: Round) => Mutated | Promise<Mutated>;

/** Measures a stage of a plugin. Called once for each operation and phase when the chain is built. */
export type MeasureStage = (plugin: string, operation: AdmissionOperation, phase: 'admit' | 'validate') => StageDone;

/** Called at the end of what is measured. @param beganMs when it began, in milliseconds of the clock */
export type StageDone = (rejected: boolean, beganMs: number) => void;

/** Measures the stages of a chain. */
export interface StageMeter {
  readonly now: () => number;
  readonly measure: MeasureStage;
  /** Measures all plugins of a phase together. Called once for each operation and phase. */
  readonly measureStep: (operation: AdmissionOperation, phase: 'admit' | 'validate') => StageDone;
}

type Phase = 'admit' | 'validate';

/** All stages of a phase. */
type Step = (attributes: AdmissionAttributes) => void | Promise<void>;

/**
 * The ordered plugins of a server. They are sorted by phase and operation when an operation first comes: many servers
 * of tests only read.
 */
export class AdmissionChain {
  readonly #plugins: readonly AdmissionPlugin[];
  readonly #meter: StageMeter | undefined;
  readonly #steps: Readonly<Record<Phase, Map<AdmissionOperation, Step>>> = {
    admit: new Map(),
    validate: new Map(),
  };

  /** @param meter measures each stage; default none does */
  constructor(plugins: readonly AdmissionPlugin[], meter?: StageMeter) {
    this.#plugins = plugins;
    this.#meter = meter;
  }

  /** Names of the plugins, in order. */
  get names(): readonly string[] {
    return this.#plugins.map((plugin) => plugin.name);
  }

  /** Runs the mutating stages, twice when one of them asks for it. Returns undefined when all were synchronous. */
  mutate(attributes: AdmissionAttributes): void | Promise<void> {
    return this.#stepOf('admit', attributes.operation)(attributes);
  }

  /** Runs the validating stages. Returns undefined when all were synchronous. */
  validate(attributes: AdmissionAttributes): void | Promise<void> {
    return this.#stepOf('validate', attributes.operation)(attributes);
  }

  #stepOf(phase: Phase, operation: AdmissionOperation): Step {
    const known = this.#steps[phase].get(operation);
    if (known !== undefined) return known;
    const run = phase === 'admit' ? runTwice : runOnce;
    const stages = this.#stagesOf(phase, operation);
    const meter = this.#meter;
    const bare: Step = (attributes) => run(stages, attributes);
    const step = meter === undefined ? bare : measured(bare, meter.now, meter.measureStep(operation, phase));
    this.#steps[phase].set(operation, step);
    return step;
  }

  #stagesOf(phase: Phase, operation: AdmissionOperation): readonly Stage[] {
    const stages: Stage[] = [];
    for (const plugin of this.#plugins) {
      if (!plugin.operations.includes(operation)) continue;
      const picked = phase === 'admit' ? plugin.mutate?.bind(plugin) : plugin.validate?.bind(plugin);
      if (picked === undefined) continue;
      const meter = this.#meter;
      const stage =
        meter === undefined ? picked : measured(picked, meter.now, meter.measure(plugin.name, operation, phase));
      stages.push(forKinds(plugin.kinds, stage));
    }
    return stages;
  }
}

/** Restricts a stage to objects of given kinds. */
function forKinds(kinds: readonly ResourceDefinition[] | undefined, stage: Stage): Stage {
  if (kinds === undefined) return stage;
  const wanted = new Set(kinds);
  return (attributes, round) => (wanted.has(kindOf(attributes)) ? stage(attributes, round) : undefined);
}

/** Returns a stage or step that reports how long it took, and whether it refused the request. */
function measured<Given extends readonly unknown[], Result>(
  run: (...given: Given) => Result | Promise<Result>,
  now: () => number,
  done: StageDone,
): (...given: Given) => Result | Promise<Result> {
  return (...given) => {
    const beganMs = now();
    let result: Result | Promise<Result>;
    try {
      result = run(...given);
    } catch (error) {
      done(true, beganMs);
      throw error;
    }
    if (!(result instanceof Promise)) {
      done(false, beganMs);
      return result;
    }
    return result.then(
      (value) => {
        done(false, beganMs);
        return value;
      },
      (error: unknown) => {
        done(true, beganMs);
        throw error;
      },
    );
  };
}

/** Returns the kind of the object: the resource's, unless the subresource has another. */
function kindOf({ info, subresource }: AdmissionAttributes): ResourceDefinition {
  const served = subresource === '' ? undefined : info.subresources.get(subresource);
  return served !== undefined && 'responseKind' in served ? served.responseKind.definition : info.definition;
}

/** Runs mutating stages, twice when one of them asks for it. */
function runTwice(stages: readonly Stage[], attributes: AdmissionAttributes): void | Promise<void> {
  const mutated = run(stages, attributes, 0);
  if (mutated === undefined) return undefined;
  if (mutated instanceof Promise)
    return mutated.then(async (again) => {
      if (again === 'again') await run(stages, attributes, 1);
    });
  const second = run(stages, attributes, 1);
  return second instanceof Promise ? second.then(() => undefined) : undefined;
}

/** Runs validating stages. */
function runOnce(stages: readonly Stage[], attributes: AdmissionAttributes): void | Promise<void> {
  const pending = run(stages, attributes, 0);
  return pending instanceof Promise ? pending.then(() => undefined) : undefined;
}

/** Runs stages. Returns `again` when one of them did. */
function run(stages: readonly Stage[], attributes: AdmissionAttributes, round: Round): Mutated | Promise<Mutated> {
  let mutated: 'again' | undefined;
  for (let index = 0; index < stages.length; index += 1) {
    const result = stages[index]?.(attributes, round);
    if (result === undefined) continue;
    if (result !== 'again') return runRest(result, mutated, stages, index + 1, attributes, round);
    mutated = result;
  }
  return mutated;
}

async function runRest(
  pending: Promise<Mutated>,
  before: 'again' | undefined,
  stages: readonly Stage[],
  from: number,
  attributes: AdmissionAttributes,
  round: Round,
): Promise<Mutated> {
  let mutated = (await pending) ?? before;
  for (const stage of stages.slice(from)) mutated = (await stage(attributes, round)) ?? mutated;
  return mutated;
}
