import{d as a,e as b,f as c}from"./chunk-2X5XUODU.js";import"./chunk-QR2BDUSH.js";import"./chunk-TVLWYJLI.js";import"./chunk-VTR327EJ.js";c();export{a as default,b as enters};
