/** Builds the page unless it has been built from the current source. @returns the path of the module */
export function buildPage(): Promise<string>;
