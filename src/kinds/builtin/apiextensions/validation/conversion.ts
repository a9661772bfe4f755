/**
 * The rules for the conversion between versions.
 *
 * @module
 */
import {
  appendErrors,
  decodeBase64,
  dnsLabel1035Errors,
  FieldErrorList,
  forbidden,
  hexNumber,
  invalid,
  latin1,
  messageOf,
  notSupported,
  parsePem,
  required,
  VerbatimValue,
  type FieldError,
} from '../../../../foundation/index.js';
import { parseCertificate, X509Error } from '../../../../security/index.js';
import { webhookAddressErrors } from '../../shared/network/webhook-address.js';
import type { HubConversion } from '../hub.js';
import type { WebhookClientConfig } from '../types.js';

/** Versions of ConversionReview that the server sends, sorted. */
export const acceptedReviewVersions: readonly string[] = ['v1', 'v1beta1'];

const STRATEGIES = ['None', 'Webhook'];

/** Which of the newer rules apply. */
interface ConversionRules {
  readonly knownReviewVersion: boolean;
  readonly validCaBundle: boolean;
}

/** Checks the conversion of a definition. */
export function conversionErrors(
  { strategy, webhookClientConfig, conversionReviewVersions }: HubConversion,
  path: string,
  rules: ConversionRules,
): FieldError[] {
  const errors = new FieldErrorList();
  if (strategy === '') errors.push(required(`${path}.strategy`));
  else if (!STRATEGIES.includes(strategy)) errors.push(notSupported(`${path}.strategy`, strategy, STRATEGIES));
  const config = `${path}.webhookClientConfig`;
  const reviews = `${path}.conversionReviewVersions`;
  if (strategy === 'Webhook')
    return [
      ...errors,
      ...(webhookClientConfig === undefined
        ? [required(config, 'required when strategy is set to Webhook')]
        : clientConfigErrors(webhookClientConfig, config, rules)),
      ...reviewVersionErrors(conversionReviewVersions, reviews, rules),
    ];
  const detail = 'should not be set when strategy is not set to Webhook';
  if (webhookClientConfig !== undefined) errors.push(forbidden(config, detail));
  if (conversionReviewVersions.length > 0) errors.push(forbidden(reviews, detail));
  return errors;
}

function clientConfigErrors(
  { caBundle = '', ...address }: WebhookClientConfig,
  path: string,
  { validCaBundle }: ConversionRules,
): FieldError[] {
  const errors = webhookAddressErrors(address, path);
  if (caBundle !== '' && validCaBundle) appendErrors(errors, caBundleErrors(`${path}.caBundle`, caBundle));
  return errors;
}

/** Checks that a bundle has a certificate. @param caBundle PEM in base64 */
export function caBundleErrors(path: string, caBundle: string): FieldError[] {
  const bytes = decodeBase64(caBundle) ?? new Uint8Array();
  const problem = bundleProblem(bytes);
  if (problem === undefined) return [];
  const shown = `[]byte{${[...bytes].map((byte) => `0x${hexNumber(byte, 1)}`).join(', ')}}`;
  return [invalid(path, new VerbatimValue(shown), `unable to load root certificates: ${problem}`)];
}

function bundleProblem(bytes: Uint8Array): string | undefined {
  const { blocks, junk } = parsePem(latin1(bytes));
  const problems = blocks
    .filter(({ label, headers }) => label === 'CERTIFICATE' && headers.size === 0)
    .map((block) => certificateProblem(block.bytes));
  if (problems.includes(undefined)) return undefined;
  if (problems[0] !== undefined) return `failed to parse certificate: ${problems[0]}`;
  const lastLine = blocks.at(-1)?.line;
  return lastLine === undefined || junk.some(({ line }) => line > lastLine)
    ? 'unable to parse bytes as PEM block'
    : 'no valid certificate authority data seen';
}

function certificateProblem(bytes: Uint8Array): string | undefined {
  try {
    parseCertificate(bytes);
    return undefined;
  } catch (error) {
    if (!(error instanceof X509Error)) throw error;
    return messageOf(error);
  }
}

function reviewVersionErrors(versions: readonly string[], path: string, rules: ConversionRules): FieldError[] {
  if (versions.length === 0) return [required(path)];
  const errors = new FieldErrorList();
  for (const [index, version] of versions.entries()) {
    const at = `${path}[${index}]`;
    if (versions.indexOf(version) < index) errors.push(invalid(at, version, 'duplicate version'));
    else for (const problem of dnsLabel1035Errors(version)) errors.push(invalid(at, version, problem));
  }
  if (rules.knownReviewVersion && !versions.some((version) => acceptedReviewVersions.includes(version)))
    errors.push(invalid(path, versions, `must include at least one of ${acceptedReviewVersions.join(', ')}`));
  return errors;
}
