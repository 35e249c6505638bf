import{a,b,c}from"./chunk-HMD5HITZ.js";import"./chunk-TMAGD2XE.js";import"./chunk-GOKVTJ5P.js";c();export{a as default,b as engine};
