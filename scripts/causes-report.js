import { JsonReporter } from 'vitest/node';

/**
 * Vitest's JSON report, with the causes of errors and the errors of hooks: a test that waits for a process that has ended fails
 * with its time, and only a cause or the hook that removes the process tells why.
 */
export default class CausesReport extends JsonReporter {
  async onTestRunEnd(modules) {
    for (const module of modules) {
      const hooks = [module, ...module.children.allSuites()].flatMap((suite) => suite.errors());
      for (const test of module.children.allTests('failed'))
        for (const error of test.result().errors)
          error.stack = [error, ...causesOf(error), ...hooks].map(textOf).join('\n  beside: ');
    }
    await super.onTestRunEnd(modules);
  }
}

const textOf = ({ stack, message }) => stack ?? message;

function* causesOf({ cause }) {
  if (cause === undefined || cause === null) return;
  yield cause;
  yield* causesOf(cause);
}
