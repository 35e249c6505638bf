import{d as a,e as b,f as c}from"./chunk-OLPG2RNB.js";import"./chunk-5NHP66V4.js";import"./chunk-4ER7YKH3.js";import"./chunk-SM5NGPOV.js";c();export{a as default,b as enters};
