import {
  aFunction,
  appendAll,
  checkOptions,
  shown,
  systemClock,
  type Dialect,
  type OptionChecks,
} from '../../../foundation/index.js';
import type { ResourceDefinition } from '../../../registry/index.js';
import { customKinds } from '../kinds.js';
import { noConversion } from '../versions.js';
import type { ConversionFunction } from '../call-conversion.js';
import { functionConverter } from '../webhook-converter.js';
import { checkedDefinition, nameOfDefinition, readDefinitions, type Definition } from './checked-definition.js';
import type { DefinitionSource } from './documents.js';

/** Options of {@link resourcesFromCrd}. */
export interface ResourcesFromCrdOptions {
  /**
   * Converts objects in place of the webhook of definitions with the conversion strategy `Webhook`, which need it.
   */
  readonly convert?: ConversionFunction | undefined;
}

const optionChecks: OptionChecks<ResourcesFromCrdOptions> = { convert: aFunction };

/**
 * Returns the kinds that custom resource definitions declare, for `new ApiServer({ resources })`: one for each served
 * version. The definitions are checked as the API checks them. Those of every included dialect are accepted, and the
 * kinds work in all dialects.
 *
 * ```
 * const kinds = await resourcesFromCrd('config/crd/bases');
 * await using server = new ApiServer({ resources: kinds });
 * ```
 *
 * @param source definitions as objects, as a string of YAML or JSON, or the path of a file or directory (in Node)
 * @throws TypeError with all problems of all definitions; Error when a file cannot be read
 */
export async function resourcesFromCrd(
  source: DefinitionSource,
  options: ResourcesFromCrdOptions = {},
): Promise<ResourceDefinition[]> {
  if ((typeof source !== 'string' && typeof source !== 'object') || source === null || source === '')
    throw new TypeError(
      `resourcesFromCrd: the source must be a definition, a string in YAML or JSON, or a path, got ${shown(source)}`,
    );
  checkOptions('resourcesFromCrd', options, optionChecks);
  const kinds: ResourceDefinition[] = [];
  const problems: string[] = [];
  const names = new Set<string>();
  for (const written of await readDefinitions(source)) {
    const { definition, problems: found } = await checkedDefinition(written);
    const name = nameOfDefinition(written);
    const all = definition === undefined ? found : setProblems(definition, names, options);
    appendAll(
      problems,
      all.map((problem) => `${name}: ${problem}`),
    );
    if (definition === undefined) continue;
    names.add(definition.metadata.name ?? '');
    appendAll(kinds, kindsOf(definition, written.dialect, options));
  }
  if (problems.length > 0) throw new TypeError(`resourcesFromCrd: ${problems.join('\n')}`);
  return kinds;
}

/** Returns the problems of a valid definition among the others. */
function setProblems({ metadata, spec }: Definition, names: ReadonlySet<string>, { convert }: ResourcesFromCrdOptions) {
  const problems: string[] = [];
  if (names.has(metadata.name ?? '')) problems.push('it is given twice; give it once');
  if (spec.conversion?.strategy === 'Webhook' && convert === undefined)
    problems.push(
      'its versions are converted by a webhook: pass the option convert, which does the work of the webhook',
    );
  return problems;
}

function kindsOf({ spec }: Definition, dialect: Dialect, { convert }: ResourcesFromCrdOptions): ResourceDefinition[] {
  const converter =
    spec.conversion?.strategy === 'Webhook' && convert !== undefined
      ? functionConverter(convert, { clock: systemClock })
      : noConversion;
  return customKinds({ ...spec, versions: spec.versions ?? [] }, dialect, converter);
}
