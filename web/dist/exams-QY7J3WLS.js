import{d as a,e as b,f as c}from"./chunk-X4GFH2RL.js";import"./chunk-UYFI3GGC.js";import"./chunk-XPV2I4YB.js";import"./chunk-REX6MET3.js";c();export{a as default,b as enters};
