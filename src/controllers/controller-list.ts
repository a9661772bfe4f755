import { controllerNames, controllersOffByDefault, type ControllerName } from './controllers.js';

/** Which controllers run, as `createControllers` takes it. */
export interface ControllerSelection {
  /** Those that are off by default, and run. */
  readonly enabled: readonly ControllerName[];
  /** Those that do not run. */
  readonly disabled: readonly ControllerName[];
}

/**
 * Reads a list of controllers: `name` runs, `-name` does not, `*` stands for all that are on by default. The first word on a
 * controller holds; what the list has no word on does not run.
 *
 * @param text words separated by commas, as in `*,tokencleaner,-serviceaccount`
 * @throws Error when a word is no controller
 */
export function parseControllerList(text: string): ControllerSelection {
  const words = text === '' ? [] : text.split(',');
  for (const word of words) {
    const name = word.startsWith('-') ? word.slice(1) : word;
    if (word !== '*' && !controllerNames.some((known) => known === name))
      throw new Error(`${JSON.stringify(name)} is not in the list of known controllers`);
  }
  const runs = (name: ControllerName): boolean => {
    const word = words.find((candidate) => candidate === name || candidate === `-${name}`);
    return word === undefined ? words.includes('*') && !controllersOffByDefault.includes(name) : word === name;
  };
  return {
    enabled: controllersOffByDefault.filter(runs),
    disabled: controllerNames.filter((name) => !runs(name) && !controllersOffByDefault.includes(name)),
  };
}
