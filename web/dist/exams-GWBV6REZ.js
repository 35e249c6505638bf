import{d as a,e as b,f as c}from"./chunk-HE4WYNXA.js";import"./chunk-YFH3SUKK.js";import"./chunk-AKFNS2CS.js";import"./chunk-NWDS5W7U.js";c();export{a as default,b as enters};
