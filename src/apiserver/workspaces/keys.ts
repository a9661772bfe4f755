/**
 * The keys of workspaces in the store that they share. Internal records are protected like Secrets.
 *
 * @module
 */

/** Prefix of the records of the directory, one for each workspace, by its name. */
export const DIRECTORY = '/internal/workspaces/names/';

/** Key of the seed of the templates. */
export const SEED = '/internal/workspaces/seed';

/** Prefix of the marks of the templates that are complete, by their id. */
export const TEMPLATE_MARKS = '/internal/workspaces/templates/';

/** Returns the prefix of the records of a template; their keys follow it. */
export const templatePrefix = (id: string): string => `/internal/workspaces/template-records/${id}`;
