/** Where the code of this package is: frames of a stack that begin with it are ours. */
const OWN = pathOf(import.meta.url).replace(/^(.*\/(?:src|dist)\/).*$/, '$1');

/**
 * Returns the file and line of the code outside this package that made a call, such as `/app/sites.test.ts:12`.
 *
 * @param stack that of an error made during the call
 * @returns undefined when the stack does not reach so far
 */
export function callerPlace(stack: string | undefined): string | undefined {
  for (const frame of (stack ?? '').split('\n').slice(1)) {
    const [, place = ''] = /(?:\(|at )((?:file:\/\/|\/|[A-Za-z]:)[^()]*:\d+):\d+\)?$/.exec(frame) ?? [];
    if (place !== '' && !pathOf(place).startsWith(OWN)) return pathOf(place);
  }
  return undefined;
}

function pathOf(address: string): string {
  return address.replace(/^file:\/\//, '');
}
