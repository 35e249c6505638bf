import{a,b,c}from"./chunk-HL5ZUCE6.js";import"./chunk-BWT5MFK4.js";import"./chunk-OCJPJEVE.js";import"./chunk-DEDIQJEE.js";import"./chunk-46IXHASG.js";c();export{a as GuardianTabs,b as default};
