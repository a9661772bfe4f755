import {
  aBoolean,
  aFunction,
  aName,
  listOf,
  nested,
  type OptionCheck,
  type OptionChecks,
} from '../foundation/index.js';
import type { TestCommands } from './serving/test-command.js';

/** Options of the page for people. */
export interface PageOptions {
  /**
   * Whether the page can only read: the server refuses all its other requests, for every user. Default false.
   */
  readonly readOnly?: boolean | undefined;
  /**
   * How people sign in with the provider of the server's option `authentication.openIdConnect`, or with the issuers of its
   * authentication configuration, whose first audience is the client. False: not at all. Default: as a client without a
   * secret.
   */
  readonly openIdConnect?: PageProviderOptions | false | undefined;
  /**
   * Runs the commands of a test server, which the page sends below `/ui/v1/test/`. They have been authorized.
   *
   * @internal
   */
  readonly test?: TestCommands | undefined;
}

/** How the page signs people in by the OpenID provider of the server. */
export interface PageProviderOptions {
  /**
   * Secret of the client at the provider, for a server with one provider. Default none: the client is public, and proves
   * itself by PKCE.
   */
  readonly clientSecret?: string | undefined;
  /** Scopes that are asked for besides `openid`. Default `profile` and `email`. */
  readonly scopes?: readonly string[] | undefined;
}

/** A switch, or the options of what it switches on. */
const aSwitchOr =
  (options: OptionCheck): OptionCheck =>
  (value, path) =>
    (typeof value === 'object' ? options : aBoolean)(value, path);

const aProvider = nested({
  clientSecret: aName,
  scopes: listOf(aName),
} satisfies OptionChecks<PageProviderOptions>);

/** Checks the option `ui` of a transport. */
export const aPage: OptionCheck = aSwitchOr(
  nested({
    readOnly: aBoolean,
    openIdConnect: aSwitchOr(aProvider),
    test: aFunction,
  } satisfies OptionChecks<PageOptions>),
);
