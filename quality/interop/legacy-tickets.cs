// Makes cookies of an old server with the classes of .NET. Mono has no compatibility modes of its own: its
// FormsAuthentication and MachineKey write forms that no Windows server reads. Reads lines of
// kind mode validation decryption validationKey decryptionKey userName issued expires persistent.
using System;
using System.Collections.Generic;
using System.IO;
using System.IO.Compression;
using System.Linq;
using System.Security.Claims;
using System.Security.Cryptography;
using System.Text;

static class LegacyTickets
{
    static void Main()
    {
        for (string line; (line = Console.ReadLine()) != null; )
        {
            string[] words = line.Split(' ');
            var key = new Key
            {
                IsFramework45 = words[1] == "Framework45",
                Validation = words[2],
                Decryption = words[3],
                ValidationKey = FromHex(words[4]),
                DecryptionKey = FromHex(words[5]),
            };
            string name = Encoding.UTF8.GetString(FromHex(words[6]));
            DateTime issued = DateTime.Parse(words[7]).ToUniversalTime();
            DateTime expires = DateTime.Parse(words[8]).ToUniversalTime();
            bool isPersistent = words[9] == "true";
            if (words[0] == "forms")
                Console.WriteLine(ToHex(ProtectForms(key, SerializeForms(name, issued, expires, isPersistent))));
            else
                Console.WriteLine(ToBase64Url(key.Protect(
                    SerializeOwin(name, issued, expires, isPersistent), "User.MachineKey.Protect",
                    "Microsoft.Owin.Security.Cookies.CookieAuthenticationMiddleware", "ApplicationCookie", "v1")));
        }
    }

    sealed class Key
    {
        public bool IsFramework45;
        public string Validation;
        public string Decryption;
        public byte[] ValidationKey;
        public byte[] DecryptionKey;

        public byte[] Sign(byte[] data)
        {
            using (HMAC hmac = HMAC.Create(Validation))
            {
                hmac.Key = ValidationKey;
                return hmac.ComputeHash(data);
            }
        }

        public byte[] Encrypt(byte[] data, bool hasRandomIv, out byte[] iv)
        {
            using (SymmetricAlgorithm algorithm = SymmetricAlgorithm.Create(Decryption == "AES" ? "Rijndael" : "TripleDES"))
            {
                algorithm.Key = DecryptionKey;
                if (hasRandomIv) algorithm.GenerateIV();
                else algorithm.IV = new byte[algorithm.BlockSize / 8];
                iv = algorithm.IV;
                using (ICryptoTransform transform = algorithm.CreateEncryptor())
                    return transform.TransformFinalBlock(data, 0, data.Length);
            }
        }

        public byte[] Protect(byte[] data, string label, params string[] purposes)
        {
            var context = new MemoryStream();
            var writer = new BinaryWriter(context);
            foreach (string purpose in purposes) writer.Write(purpose);
            var derived = new Key
            {
                Validation = Validation,
                Decryption = Decryption,
                ValidationKey = Derive(ValidationKey, label, context.ToArray()),
                DecryptionKey = Derive(DecryptionKey, label, context.ToArray()),
            };
            byte[] iv;
            byte[] encrypted = derived.Encrypt(data, true, out iv);
            byte[] signed = iv.Concat(encrypted).ToArray();
            return signed.Concat(derived.Sign(signed)).ToArray();
        }

        static byte[] Derive(byte[] from, string label, byte[] context)
        {
            var result = new List<byte>();
            for (int i = 1; result.Count < from.Length; i++)
                using (var prf = new HMACSHA512(from))
                    result.AddRange(prf.ComputeHash(BigEndian(i).Concat(Encoding.UTF8.GetBytes(label))
                        .Concat(new byte[1]).Concat(context).Concat(BigEndian(from.Length * 8)).ToArray()));
            return result.Take(from.Length).ToArray();
        }

        static byte[] BigEndian(int number)
        {
            return BitConverter.GetBytes(number).Reverse().ToArray();
        }
    }

    static byte[] ProtectForms(Key key, byte[] ticket)
    {
        if (key.IsFramework45) return key.Protect(ticket, "FormsAuthentication.Ticket");
        var random = new byte[key.DecryptionKey.Length];
        RandomNumberGenerator.Create().GetBytes(random);
        byte[] iv;
        byte[] inner = random.Concat(ticket).Concat(key.Sign(ticket)).ToArray();
        byte[] encrypted = key.Encrypt(inner, false, out iv);
        return encrypted.Concat(key.Sign(encrypted)).ToArray();
    }

    sealed class TicketWriter : BinaryWriter
    {
        public TicketWriter(Stream stream) : base(stream) { }

        public void WriteUtf16(string text)
        {
            Write7BitEncodedInt(text.Length);
            Write(Encoding.Unicode.GetBytes(text));
        }
    }

    static byte[] SerializeForms(string name, DateTime issued, DateTime expires, bool isPersistent)
    {
        var stream = new MemoryStream();
        using (var writer = new TicketWriter(stream))
        {
            writer.Write((byte)1);
            writer.Write((byte)2);
            writer.Write(issued.Ticks);
            writer.Write((byte)0xfe);
            writer.Write(expires.Ticks);
            writer.Write(isPersistent);
            writer.WriteUtf16(name);
            writer.WriteUtf16(new string('d', 200));
            writer.WriteUtf16("/");
            writer.Write((byte)0xff);
        }
        return stream.ToArray();
    }

    static byte[] SerializeOwin(string name, DateTime issued, DateTime expires, bool isPersistent)
    {
        var claims = new[]
        {
            new Claim(ClaimTypes.NameIdentifier, "17"),
            new Claim(ClaimTypes.Name, name),
            new Claim(ClaimTypes.Role, "editor"),
            new Claim("AspNet.Identity.SecurityStamp", Guid.NewGuid().ToString()),
        };
        var properties = new Dictionary<string, string>
        {
            { ".issued", issued.ToString("r") },
            { ".expires", expires.ToString("r") },
        };
        if (isPersistent) properties.Add(".persistent", "");
        var stream = new MemoryStream();
        using (var writer = new BinaryWriter(new GZipStream(stream, CompressionLevel.Optimal)))
        {
            writer.Write(3);
            writer.Write("ApplicationCookie");
            writer.Write("\0");
            writer.Write("\0");
            writer.Write(claims.Length);
            foreach (Claim claim in claims)
            {
                writer.Write(claim.Type == ClaimTypes.Name ? "\0" : claim.Type);
                writer.Write(claim.Value);
                writer.Write(claim.ValueType == ClaimValueTypes.String ? "\0" : claim.ValueType);
                writer.Write(claim.Issuer == "LOCAL AUTHORITY" ? "\0" : claim.Issuer);
                writer.Write(claim.OriginalIssuer == claim.Issuer ? "\0" : claim.OriginalIssuer);
            }
            writer.Write(0);
            writer.Write(1);
            writer.Write(properties.Count);
            foreach (var property in properties)
            {
                writer.Write(property.Key);
                writer.Write(property.Value);
            }
        }
        return stream.ToArray();
    }

    static byte[] FromHex(string text)
    {
        return Enumerable.Range(0, text.Length / 2).Select(i => Convert.ToByte(text.Substring(2 * i, 2), 16)).ToArray();
    }

    static string ToHex(byte[] bytes)
    {
        return BitConverter.ToString(bytes).Replace("-", "");
    }

    static string ToBase64Url(byte[] bytes)
    {
        return Convert.ToBase64String(bytes).TrimEnd('=').Replace('+', '-').Replace('/', '_');
    }
}
