import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Runs openssl and returns its output. */
export function openssl(args: string, input = ''): string {
  return execFileSync('openssl', args.split(' '), { input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'ignore'] });
}

/** A private key in each of the forms that openssl writes, and its public key. */
export interface KeyForms {
  readonly pkcs8: string;
  /** PKCS#1 or SEC1. */
  readonly traditional: string;
  readonly publicKey: string;
}

/** An RSA key. */
export function rsaKey(bits = 2048): KeyForms {
  const pkcs8 = openssl(`genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:${bits}`);
  return { pkcs8, traditional: openssl('rsa -traditional', pkcs8), publicKey: openssl('pkey -pubout', pkcs8) };
}

/** A key on a curve. */
export function ecKey(curve: string): KeyForms {
  // With the parameters in a separate block before the key, as openssl does by default.
  const traditional = openssl(`ecparam -name ${curve} -genkey`);
  return {
    traditional,
    pkcs8: openssl('pkcs8 -topk8 -nocrypt', traditional),
    publicKey: openssl('pkey -pubout', traditional),
  };
}

/** A self-signed certificate of a key. */
export function selfSigned(key: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'keys-'));
  try {
    writeFileSync(join(folder, 'key.pem'), key);
    return openssl(`req -x509 -key ${join(folder, 'key.pem')} -subj /CN=keys -days 1`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
