import{d as a,e as b,f as c}from"./chunk-ITCQOMEI.js";import"./chunk-2GNAQRZW.js";import"./chunk-6XU4BMJN.js";import"./chunk-4SB6D7PQ.js";c();export{a as default,b as enters};
