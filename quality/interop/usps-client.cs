// Looks up ZIP codes at the USPS Web Tools, as .NET applications do; see usps-clients.test.ts.
using System;
using System.Net;
using System.Xml;

class UspsClient {
    static void Main(string[] args) {
        for (int i = 1; i < args.Length; i++) {
            string xml = "<CityStateLookupRequest USERID=\"any\"><ZipCode ID=\"0\"><Zip5>" + args[i]
                + "</Zip5></ZipCode></CityStateLookupRequest>";
            var request = (HttpWebRequest)WebRequest.Create(
                args[0] + "/ShippingAPI.dll?API=CityStateLookup&XML=" + Uri.EscapeDataString(xml));
            var document = new XmlDocument();
            using (var response = request.GetResponse()) document.Load(response.GetResponseStream());
            XmlNode zip = document.SelectSingleNode("/CityStateLookupResponse/ZipCode");
            XmlNode error = zip.SelectSingleNode("Error/Description");
            Console.WriteLine(error != null ? error.InnerText
                : zip["City"].InnerText + ", " + zip["State"].InnerText);
        }
    }
}
