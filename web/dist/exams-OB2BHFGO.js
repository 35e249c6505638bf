import{d as a,e as b,f as c}from"./chunk-OB3UYDSB.js";import"./chunk-5YWJMQ6H.js";import"./chunk-HNUVN4YM.js";import"./chunk-DKZEZLDA.js";c();export{a as default,b as enters};
