import{d as a,e as b,f as c}from"./chunk-SNP4NHQD.js";import"./chunk-HCIAEJW4.js";import"./chunk-7Z7ZDN5C.js";import"./chunk-EFMXWPQZ.js";c();export{a as default,b as enters};
